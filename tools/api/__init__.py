"""The C interface as data: what the headers of include/livery declare and say of it."""
from .model import COMMON, OF_HANDLES, HeaderError, Interface, Type, declaration, plain
from .parser import read, read_or_exit

__all__ = ["COMMON", "OF_HANDLES", "HeaderError", "Interface", "Type", "declaration", "plain", "read", "read_or_exit"]
