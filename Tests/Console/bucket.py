"""An S3-like store for tests: it verifies AWS Signature Version 4 by its specification, and fails as it is told to."""

import hashlib
import hmac
import threading
import time
import urllib.parse
from datetime import datetime, timezone
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"


def sign(secret, day, region, text):
  key = ("AWS4" + secret).encode()
  for part in (day, region, "s3", "aws4_request"):
    key = hmac.digest(key, part.encode(), "sha256")
  return hmac.new(key, text.encode(), "sha256").hexdigest()


def encoded(text):
  """Percent-encoding as the specification has it: everything but letters, digits and `-._~`."""
  return "".join(chr(byte) if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-._~") else f"%{byte:02X}"
                 for byte in text.encode())


class Refused(Exception):
  def __init__(self, status, code):
    self.status, self.code = status, code


class Bucket:
  """Objects by key, in the order in which they came: `order`. `answer(key)` may give a status to answer instead, or wait."""

  def __init__(self, name="fleet-files", region="eu-central-1", ahead=0):
    self.name, self.region, self.ahead = name, region, ahead
    self.objects, self.order, self.problems, self.requests = {}, [], [], 0
    self.answer = lambda key: None
    self.session = None
    self.lock = threading.Lock()
    bucket = self

    class Handler(BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"

      def date_time_string(self, timestamp=None):
        return formatdate(time.time() + bucket.ahead, usegmt=True)

      def log_message(self, *_):
        pass

      def give(self, status, body=b"", **fields):
        self.send_response(status)
        for name, value in fields.items():
          self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

      def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
          key = bucket.verify(self, body)
          with bucket.lock:
            bucket.requests += 1
          status = bucket.answer(key)
          if status in (301, 307):
            return self.give(status, Location="http://127.0.0.1:1/elsewhere")
          if status:
            raise Refused(status, {403: "AccessDenied", 503: "SlowDown"}.get(status, "InternalError"))
          with bucket.lock:
            bucket.objects[key] = (body, self.headers)
            bucket.order.append(key)
          self.give(200, ETag=f'"{hashlib.md5(body).hexdigest()}"')
        except Refused as refused:
          if refused.status != 503:
            bucket.problems.append(refused.code)
          self.give(refused.status, f"<?xml version='1.0'?><Error><Code>{refused.code}</Code></Error>".encode())

      def do_GET(self):
        found = bucket.objects.get(urllib.parse.unquote(self.path).removeprefix(f"/{bucket.name}/"))
        self.give(200, found[0]) if found else self.give(404)

    self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    self.server.daemon_threads = True
    self.port = self.server.server_address[1]
    self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
    self.thread.start()

  @property
  def endpoint(self):
    return f"http://127.0.0.1:{self.port}"

  def close(self):
    self.server.shutdown()
    self.server.server_close()

  def verify(self, request, body):
    """The key of the object; raises if the signature is not that of the request."""
    head = request.headers
    scheme, _, rest = head.get("Authorization", "").partition(" ")
    if scheme != "AWS4-HMAC-SHA256":
      raise Refused(403, "AccessDenied")
    given = dict(part.strip().split("=", 1) for part in rest.split(","))
    key, day, region, service, end = given["Credential"].split("/")
    if key != KEY:
      raise Refused(403, "InvalidAccessKeyId")
    if (region, service, end) != (self.region, "s3", "aws4_request"):
      raise Refused(400, "AuthorizationHeaderMalformed")
    stamp = head["x-amz-date"]
    if not stamp.startswith(day):
      raise Refused(403, "SignatureDoesNotMatch")
    moment = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc).timestamp()
    if abs(moment - time.time() - self.ahead) > 900:
      raise Refused(403, "RequestTimeTooSkewed")
    if head["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
      raise Refused(400, "XAmzContentSHA256Mismatch")
    if self.session and head.get("x-amz-security-token") != self.session:
      raise Refused(403, "InvalidToken")
    signed = given["SignedHeaders"].split(";")
    if signed != sorted(signed) or "host" not in signed:
      raise Refused(403, "SignatureDoesNotMatch")
    # Every x-amz-… field has to be signed.
    if any(name.lower().startswith("x-amz-") and name.lower() not in signed for name in head.keys()):
      raise Refused(403, "AccessDenied")
    path, _, query = request.path.partition("?")
    canonical = encoded(urllib.parse.unquote(path)).replace("%2F", "/")
    if canonical != path or query:
      raise Refused(403, "SignatureDoesNotMatch")
    lines = "".join(f"{name}:{' '.join(head[name].split())}\n" for name in signed)
    content = "\n".join([request.command, canonical, "", lines, ";".join(signed), head["x-amz-content-sha256"]])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, f"{day}/{region}/s3/aws4_request",
                      hashlib.sha256(content.encode()).hexdigest()])
    if not hmac.compare_digest(sign(SECRET, day, region, text), given["Signature"]):
      raise Refused(403, "SignatureDoesNotMatch")
    full = urllib.parse.unquote(path)
    if not full.startswith(f"/{self.name}/"):
      raise Refused(404, "NoSuchBucket")
    return full[len(self.name) + 2:]
