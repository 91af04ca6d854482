"""What the tools do with traces: text, comparison, checks, cutting."""
