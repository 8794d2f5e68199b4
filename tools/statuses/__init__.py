"""What the functions of C can come to, followed through the sources."""
