"""The C library as functions on integers, bytes and text: the only modules that know ctypes, one for each header.

A handle is an integer here. The library recognizes stale handles, so nothing in this package needs a lock. What a value
means to Python is told in `_convert`.
"""

from .asset import *
from .base import *
from .branding import *
from .calls import extension as extension
from .calls import library_path as library_path
from .calls import library_version as library_version
from .calls import leave as leave
from .calls import line as line
from .calls import optional_text as optional_text
from .calls import refuse as refuse
from .calls import said as said
from .calls import status_of as status_of
from .calls import text as text
from .calls import unraisable as unraisable
from .change import *
from .form import *
from .maintenance import *
from .migration import *
from .reader import KeyReader as KeyReader
from .reader import Makers as Makers
from .reader import NameReader as NameReader
from .schema import *
from .sealer import *
from .store import *
from .trial import *
from .value import *
from .watch import *
