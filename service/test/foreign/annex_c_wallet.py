#!/usr/bin/env python3
"""An issuer and a wallet for ISO/IEC 18013-7 Annex C, on cbor2 and cryptography alone.

It shares no code with Vidimus. Reads one JSON object a line and answers each with one:
{"do": "issue", "now"} makes an authority and a driving licence, {"do": "answer", …} answers an `org-iso-mdoc` request of a page.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
from datetime import datetime, timedelta, timezone

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.x509.oid import NameOID, ObjectIdentifier

DOC_TYPE = "org.iso.18013.5.1.mDL"
NAME_SPACE = "org.iso.18013.5.1"
ES256, X5CHAIN = -7, 33


class Refused(Exception):
    """The request is not one that a wallet answers."""


def b64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def from_b64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def embedded(value):
    """#6.24(bstr .cbor value)"""
    return cbor2.CBORTag(24, cbor2.dumps(value))


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def cose_key(key):
    raw = point(key)
    return {1: 2, -1: 1, -2: raw[1:33], -3: raw[33:]}


# COSE_Sign1 (RFC 9052, section 4.4)


def sign1(key, payload, unprotected, detached):
    protected = cbor2.dumps({1: ES256})
    der = key.sign(cbor2.dumps(["Signature1", protected, b"", payload]), ec.ECDSA(hashes.SHA256()))
    r, s = decode_dss_signature(der)
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    return [protected, unprotected, None if detached else payload, signature]


def check_detached(signed, payload):
    """The certificate that signed the payload; raises if none did."""
    protected, unprotected, content, signature = signed
    if content is not None or cbor2.loads(protected)[1] != ES256:
        raise Refused("reader authentication is not a detached ES256 signature")
    chain = unprotected[X5CHAIN]
    leaf = x509.load_der_x509_certificate(chain if isinstance(chain, bytes) else chain[0])
    r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
    message = cbor2.dumps(["Signature1", protected, b"", payload])
    leaf.public_key().verify(encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
    return leaf


# The issuer: an IACA, a document signer and a driving licence (ISO/IEC 18013-5, 12.2.4 and Annex B)


def certificate(subject, issuer, now, days, extensions):
    name = lambda common: x509.Name(
        [x509.NameAttribute(NameOID.COUNTRY_NAME, "UT"), x509.NameAttribute(NameOID.COMMON_NAME, common)]
    )
    (subject_name, key), (issuer_name, issuer_key) = subject, issuer
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject_name))
        .issuer_name(name(issuer_name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), False)
        .add_extension(x509.IssuerAlternativeName([x509.UniformResourceIdentifier("https://iaca.example/")]), False)
        .add_extension(
            x509.CRLDistributionPoints(
                [x509.DistributionPoint([x509.UniformResourceIdentifier("https://iaca.example/crl")], None, None, None)]
            ),
            False,
        )
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def key_usage(*used):
    names = ["digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"]
    names += ["key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]
    return x509.KeyUsage(**{name: name in used for name in names})


def issue(now, elements):
    """The authority's certificate, and a licence: what the issuer signed, and the holder's key."""
    iaca, signer, device = new_key(), new_key(), new_key()
    authority = certificate(
        ("Python IACA", iaca),
        ("Python IACA", iaca),
        now,
        3650,
        [(x509.BasicConstraints(True, 0), True), (key_usage("key_cert_sign", "crl_sign"), True)],
    )
    document_signer = certificate(
        ("Python signer", signer),
        ("Python IACA", iaca),
        now,
        400,
        [
            (key_usage("digital_signature"), True),
            (x509.ExtendedKeyUsage([ObjectIdentifier("1.0.18013.5.1.2")]), True),
        ],
    )
    items = [
        embedded({"digestID": at, "random": os.urandom(32), "elementIdentifier": name, "elementValue": value})
        for at, (name, value) in enumerate(elements.items())
    ]
    time = lambda at: cbor2.CBORTag(0, at.strftime("%Y-%m-%dT%H:%M:%SZ"))
    security_object = {
        "version": "1.0",
        "digestAlgorithm": "SHA-256",
        "docType": DOC_TYPE,
        "valueDigests": {NAME_SPACE: {at: hashlib.sha256(cbor2.dumps(item)).digest() for at, item in enumerate(items)}},
        "deviceKeyInfo": {"deviceKey": cose_key(device.public_key())},
        "validityInfo": {
            "signed": time(now - timedelta(hours=1)),
            "validFrom": time(now - timedelta(hours=1)),
            "validUntil": time(now + timedelta(days=30)),
        },
    }
    issuer_auth = sign1(signer, cbor2.dumps(embedded(security_object)), {X5CHAIN: document_signer}, detached=False)
    licence = {"items": dict(zip(elements, items)), "issuerAuth": issuer_auth, "device": device}
    return authority, licence


# HPKE (RFC 9180), base mode, one message: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM

KEM_SUITE = b"KEM" + b"\x00\x10"
HPKE_SUITE = b"HPKE" + b"\x00\x10" + b"\x00\x01" + b"\x00\x01"


def extract(suite, salt, label, material):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + material, "sha256")


def expand(suite, secret, label, info, length):
    labelled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(secret, labelled + b"\x01", "sha256")[:length]


def seal(recipient, info, plaintext):
    ephemeral = new_key()
    enc = point(ephemeral.public_key())
    shared = extract(KEM_SUITE, b"", b"eae_prk", ephemeral.exchange(ec.ECDH(), recipient))
    shared = expand(KEM_SUITE, shared, b"shared_secret", enc + point(recipient), 32)
    context = b"\x00" + extract(HPKE_SUITE, b"", b"psk_id_hash", b"") + extract(HPKE_SUITE, b"", b"info_hash", info)
    secret = extract(HPKE_SUITE, shared, b"secret", b"")
    key = expand(HPKE_SUITE, secret, b"key", context, 16)
    nonce = expand(HPKE_SUITE, secret, b"base_nonce", context, 12)
    return enc, AESGCM(key).encrypt(nonce, plaintext, b"")


# The wallet


def transcript(encryption_info, origin):
    """ISO/IEC 18013-7, C.5: over the text of encryptionInfo as it came."""
    return [None, None, ["dcapi", hashlib.sha256(cbor2.dumps([encryption_info, origin])).digest()]]


def recipient_of(encryption_info):
    kind, parameters = cbor2.loads(from_b64url(encryption_info))
    key = parameters["recipientPublicKey"]
    if kind != "dcapi" or len(parameters["nonce"]) < 16 or (key[1], key[-1]) != (2, 1) or -4 in key:
        raise Refused("encryptionInfo")
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\x04" + key[-2] + key[-3])


def check_readers(request, session):
    """Names of those who signed the request for this page (ISO/IEC 18013-5, 12.5)."""
    items = [each["itemsRequest"] for each in request["docRequests"]]
    payloads = [
        (each["readerAuth"], ["ReaderAuthentication", session, each["itemsRequest"]])
        for each in request["docRequests"]
        if "readerAuth" in each
    ] + [
        (signed, ["ReaderAuthenticationAll", session, items, request.get("deviceRequestInfo")])
        for signed in request.get("readerAuthAll", [])
    ]
    return [check_detached(signed, cbor2.dumps(embedded(about))).subject.rfc4514_string() for signed, about in payloads]


def chosen(items_request, held):
    """What is asked for and held; for what is not held, the first alternative that is."""
    alternatives = {
        tuple(each["requestedElement"]): each["alternativeElementSets"]
        for each in items_request.get("requestInfo", {}).get("alternativeDataElements", [])
    }
    names = []
    for name in items_request["nameSpaces"].get(NAME_SPACE, {}):
        sets = [[[NAME_SPACE, name]], *alternatives.get((NAME_SPACE, name), [])]
        names += next(([element for _, element in each] for each in sets if all(e in held for _, e in each)), [])
    return list(dict.fromkeys(names))


def answer(asked, licence):
    data, origin = asked["data"], asked["origin"]
    session = transcript(data["encryptionInfo"], origin)
    request = cbor2.loads(from_b64url(data["deviceRequest"]))
    readers = check_readers(request, session)
    items_requests = [cbor2.loads(each["itemsRequest"].value) for each in request["docRequests"]]
    for_licence = [each for each in items_requests if each["docType"] == DOC_TYPE]
    if len(for_licence) != 1:
        raise Refused("it does not ask for one driving licence")
    names = [name for name in chosen(for_licence[0], licence["items"]) if name not in asked.get("withhold", [])]
    # A dishonest wallet signs for another page than the one that asked, or seals for it.
    signed = transcript(data["encryptionInfo"], asked.get("signedFor", origin))
    sealed = transcript(data["encryptionInfo"], asked.get("sealedFor", origin))
    device_name_spaces = embedded({})
    authentication = embedded(["DeviceAuthentication", signed, DOC_TYPE, device_name_spaces])
    signature = sign1(licence["device"], cbor2.dumps(authentication), {}, detached=True)
    document = {
        "docType": DOC_TYPE,
        "issuerSigned": {
            "nameSpaces": {NAME_SPACE: [licence["items"][name] for name in names]},
            "issuerAuth": licence["issuerAuth"],
        },
        "deviceSigned": {"nameSpaces": device_name_spaces, "deviceAuth": {"deviceSignature": signature}},
    }
    response = cbor2.dumps({"version": "1.0", "documents": [document], "status": 0})
    enc, cipher_text = seal(recipient_of(data["encryptionInfo"]), cbor2.dumps(sealed), response)
    return {
        "response": b64url(cbor2.dumps(["dcapi", {"enc": enc, "cipherText": cipher_text}])),
        "readers": readers,
        "asksForProof": any("zkRequest" in each.get("requestInfo", {}) for each in items_requests),
    }


def main():
    licences = {}
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            if asked["do"] == "issue":
                now = datetime.fromtimestamp(asked["now"], timezone.utc)
                dates = {name: cbor2.CBORTag(1004, value) for name, value in asked["dates"].items()}
                authority, licence = issue(now, {**asked["elements"], **dates})
                licences[asked["licence"]] = licence
                said = {"authority": base64.b64encode(authority).decode()}
            else:
                said = answer(asked, licences[asked["licence"]])
        except Refused as refusal:
            said = {"refused": str(refusal)}
        except Exception as problem:  # signatures that do not hold, CBOR that cannot be read
            said = {"refused": type(problem).__name__}
        print(json.dumps(said), flush=True)


main()
