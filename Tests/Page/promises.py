"""What the tests that attack a page are made of."""
import sys
import time

TESTS = []
SERVE = sys.argv[1]
STRICT = {"content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff", "referrer-policy": "same-origin",
          "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin", "cache-control": "",
          "permissions-policy": "camera=()"}


def promise(text):
  def note(function):
    TESTS.append((text, function))
    return function
  return note


def expect(answer, *statuses):
  assert answer.status in statuses, f"{statuses} expected: {answer}"
  for name, value in STRICT.items():
    assert value in answer.headers.get(name, "missing"), f"{name}: {answer}"
  return answer


def wait_until(holds, seconds=10):
  end = time.monotonic() + seconds
  while not holds() and time.monotonic() < end:
    time.sleep(0.02)
  return holds()


def is_closed(connection):
  connection.setblocking(False)
  try:
    return connection.recv(1) == b""
  except BlockingIOError:
    return False
  except ConnectionError:
    return True


def wait_for_end(connection, most=5_000_000):
  """Whether it ends, after so many bytes at most."""
  connection.settimeout(5)
  try:
    while most > 0 and (part := connection.recv(65536)):
      most -= len(part)
    return most > 0
  except ConnectionError:
    pass
  except TimeoutError:
    return False
  return True
