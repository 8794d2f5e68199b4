"""Manual pages and shell completion, from what the programs say of themselves."""
