def write(*a): return ""
def write_stub(*a): return ""
