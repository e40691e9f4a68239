"""Finds fault with mail: dkimpy for the signature, Python's email package for
the form. Prints a line for each fault: the file's name, a tab, the fault.

    python3 mail.py dkim  NAME VALUE FILE...    NAME has the TXT record VALUE
    python3 mail.py email FILE...
"""

import email
import email.policy
import html.parser
import os
import re
import sys


def dkim_faults(raw, name, value):
    import dkim

    def published(asked, timeout=5):
        return value.encode() if asked.decode().rstrip(".") == name else None

    signature = dkim.DKIM(raw, minkey=2048)
    try:
        if not signature.verify(dnsfunc=published):
            yield "the signature does not verify"
            return
    except Exception as e:
        yield f"{type(e).__name__}: {e}"
        return
    tags = signature.signature_fields
    if tags[b"a"] != b"rsa-sha256" or tags[b"c"] != b"relaxed/relaxed" or b"l" in tags:
        yield f"signed with {tags}"
    signed = [name.strip().lower() for name in tags[b"h"].split(b":")]
    has = [name.lower() for name, _ in signature.headers]
    for field in (b"from", b"subject", b"date", b"to", b"list-unsubscribe", b"list-unsubscribe-post"):
        if has.count(field) != 1 or signed.count(field) != 2:
            yield f"{field.decode()}: {has.count(field)} there, {signed.count(field)} times in h="
    if not domain_of(raw).endswith(signature.domain.decode()):
        yield f"signed by {signature.domain} for {domain_of(raw)}"


def domain_of(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    return message["From"].addresses[0].domain


class Words(html.parser.HTMLParser):
    """The words that a reader of the HTML sees."""

    def __init__(self):
        super().__init__()
        self.words, self.skipping = [], []

    def handle_starttag(self, tag, attributes):
        hidden = "display:none" in (dict(attributes).get("style") or "").replace(" ", "")
        if self.skipping and tag == self.skipping[-1] or hidden or tag in ("style", "title"):
            self.skipping.append(tag)

    def handle_endtag(self, tag):
        if self.skipping and tag == self.skipping[-1]:
            self.skipping.pop()

    def handle_data(self, data):
        if not self.skipping:
            self.words += words(data)


def words(text):
    return [w.lower() for w in re.findall(r"\w+", text)]


def email_faults(raw):
    if len(re.findall(rb"\r\n", raw)) != raw.count(b"\n") or raw.count(b"\r") != raw.count(b"\n"):
        yield "a bare CR or LF"
    if any(byte > 127 for byte in raw):
        yield "octets over 127"
    if max(map(len, raw.split(b"\r\n"))) > 998:
        yield "a line over 998 octets"
    message = email.message_from_bytes(raw, policy=email.policy.default)
    for part in message.walk():
        yield from (f"{part.get_content_type()}: {defect!r}" for defect in part.defects)
        for name, value in part.items():
            yield from (f"{name}: {defect!r}" for defect in getattr(value, "defects", ()))
    yield from header_faults(message, raw)
    yield from body_faults(message)


def header_faults(message, raw):
    for name in ("From", "To", "Subject", "Date", "Message-ID", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted"):
        if len(message.get_all(name, [])) != 1:
            yield f"{len(message.get_all(name, []))} fields {name}"
            return
    if len(message["To"].addresses) != 1:
        yield "not one recipient"
    if message["List-Unsubscribe-Post"] != "List-Unsubscribe=One-Click":
        yield f"List-Unsubscribe-Post: {message['List-Unsubscribe-Post']}"
    if not re.search(rb"\r\nList-Unsubscribe: <https://[^\s<>]+>(, <mailto:[^\s<>]+>)?\r\n[^ \t]", raw):
        yield f"List-Unsubscribe is not whole: {message['List-Unsubscribe']}"
    if "Feedback-ID" in message and not re.fullmatch(r"([\w.-]*:){3}[\w.-]{5,15}", message["Feedback-ID"]):
        yield f"Feedback-ID: {message['Feedback-ID']}"
    if len(message["Message-ID"]) > 66:
        yield "a Message-ID of more than 64 characters"


def body_faults(message):
    parts = list(message.iter_parts())
    if message.get_content_type() != "multipart/alternative" or [p.get_content_type() for p in parts] != ["text/plain", "text/html"]:
        yield f"{message.get_content_type()} of {[p.get_content_type() for p in parts]}"
        return
    text, page = (p.get_content() for p in parts)
    if len(page.encode()) > 95 * 1024 or len(parts[1].get_payload()) > 100 * 1024:
        yield f"HTML of {len(page.encode())} bytes, {len(parts[1].get_payload())} encoded"
    reader = Words()
    reader.feed(page)
    shown = set(reader.words)
    missing = shown - set(words(text))
    if len(missing) > 0.2 * len(shown):
        yield f"{len(missing)} of {len(shown)} words are not in the text: {sorted(missing)[:20]}"


def main(what, *arguments):
    record = arguments[:2] if what == "dkim" else ()
    for file in arguments[len(record):]:
        with open(file, "rb") as f:
            raw = f.read()
        faults = dkim_faults(raw, *record) if what == "dkim" else email_faults(raw)
        for fault in faults:
            print(f"{os.path.basename(file)}\t{fault}")


main(*sys.argv[1:])
