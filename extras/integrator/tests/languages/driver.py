"""Does with comanda.py what each line of the input says, and answers a line."""

import base64
import datetime
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import islice

from comanda import Comanda, ComandaError, NoAnswer, WebhookError, verify_webhook


def plain(value):
    """Values of Python's own, as a program has them."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "$decimal" in value:
        return Decimal(value["$decimal"])
    if "$moment" in value:
        return datetime.datetime.fromisoformat(value["$moment"].replace("Z", "+00:00"))
    if "$date" in value:
        return datetime.date.fromisoformat(value["$date"])
    if "$object" in value:
        return object()
    return {name: plain(each) for name, each in value.items()}


def done(command):
    if command["do"] == "verify":
        body = base64.b64decode(command["body"])
        return {"event": verify_webhook(command["secrets"], command["headers"], body, now=command["now"])}
    client = command["client"]
    comanda = Comanda(client["url"], client["key"], tries=client.get("tries", 5), timeout=client.get("timeout_ms", 30_000) / 1000)
    path = command.get("path")
    parameters = plain(command.get("parameters", {}))
    if command["do"] == "show":
        return {"text": repr(comanda)}
    if command["do"] == "threads":
        with ThreadPoolExecutor(8) as threads:
            return {"entries": list(threads.map(lambda _: comanda.get(path), range(8)))}
    if command["do"] == "each":
        return {"entries": list(comanda.each(path, **parameters))}
    if command["do"] == "changes":
        reading = comanda.changes(path, **parameters)
        return {"entries": list(islice(reading, command.get("take"))), "cursor": reading.cursor}
    if command["do"] == "events":
        reading = comanda.events(**parameters, follow="follow" in command, every=0.05)
        return {"entries": list(islice(reading, command.get("take"))), "cursor": reading.cursor}
    answer = comanda.request(
        command["method"], path, plain(command.get("body")), idempotency_key=command.get("idempotency_key"),
        headers=command.get("headers"), **parameters,
    )
    return {"status": answer.status, "data": answer.data, "is_replay": answer.is_replay, "etag": answer.headers.get("ETag")}


def answered(command):
    try:
        return done(command)
    except ComandaError as error:
        return {"error": {
            "kind": "refused", "status": error.status, "code": error.code, "reason": error.reason, "detail": error.message,
            "fields": error.fields, "request_id": error.request_id, "retry_after": error.retry_after, "since": error.since,
            "location": error.location, "text": str(error),
        }}
    except NoAnswer as error:
        return {"error": {"kind": "no_answer", "idempotency_key": error.idempotency_key, "text": f"{error} {error.__cause__}"}}
    except WebhookError as error:
        return {"error": {"kind": "webhook", "reason": error.reason, "text": str(error)}}
    except (TypeError, ValueError) as error:
        return {"error": {"kind": "argument", "text": str(error)}}


for line in sys.stdin:
    print(json.dumps(answered(json.loads(line)), default=str), flush=True)
