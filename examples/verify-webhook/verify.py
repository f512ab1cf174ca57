import base64
import hashlib
import hmac
import time


def verify(secret, id, timestamp, signature, body, now=None):
    """True when body (bytes, as received) was signed with secret within five minutes."""
    if not timestamp.isdecimal() or abs((now or time.time()) - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, one.encode()) for one in signature.split())
