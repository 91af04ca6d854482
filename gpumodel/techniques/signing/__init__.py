"""What techniques sign with: CRC32 of blocks, of tiles' inputs and of tiles' colours."""
