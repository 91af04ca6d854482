"""What lies in every trace file: chunks with check sums, codecs, filters, declarations of the layouts."""
