# AWS KMS, STS, IAM and the metadata service of a machine, by moto. Prints where it listens and a user's credentials as
# one line of JSON, then checks the signature of every request. Ends when its input does. Two things that moto 5.2 leaves
# out are added, as AWS documents them: MessageType DIGEST, and that a disabled key signs nothing.

import json
import logging
import sys
import threading

import boto3
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from moto import settings
from moto.core.exceptions import JsonRESTError
from moto.kms import utils
from moto.kms.responses import KmsResponse
from moto.server import ThreadedMotoServer

current = threading.local()
sign_raw = KmsResponse.sign
ec_hash = utils.ECDSAPrivateKey._ECDSAPrivateKey__hash_algorithm
rsa_hash = utils.RSAPrivateKey._RSAPrivateKey__padding_and_hash_algorithm


def sign(self):
    key = self.kms_backend.describe_key(self._get_param("KeyId"))
    if not key.enabled:
        raise JsonRESTError("DisabledException", "the key is disabled")
    current.is_digest = self._get_param("MessageType") == "DIGEST"
    return sign_raw(self)


def prehashed(algorithm):
    return Prehashed(algorithm) if current.is_digest else algorithm


def padding_and_hash(self, name):
    padding, algorithm = rsa_hash(self, name)
    return padding, prehashed(algorithm)


KmsResponse.sign = sign
utils.ECDSAPrivateKey._ECDSAPrivateKey__hash_algorithm = lambda self, name: prehashed(ec_hash(self, name))
utils.RSAPrivateKey._RSAPrivateKey__padding_and_hash_algorithm = padding_and_hash

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"

REGION = "eu-central-1"
ANY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Federated": "*"}, "Action": "sts:AssumeRoleWithWebIdentity"}],
}
known = {"endpoint_url": url, "region_name": REGION, "aws_access_key_id": "setup", "aws_secret_access_key": "setup"}
iam = boto3.client("iam", **known)
iam.create_user(UserName="vidimus")
iam.put_user_policy(UserName="vidimus", PolicyName="kms", PolicyDocument=json.dumps(ANY))
key = iam.create_access_key(UserName="vidimus")["AccessKey"]
role = iam.create_role(RoleName="vidimus", AssumeRolePolicyDocument=json.dumps(TRUST))["Role"]
iam.put_role_policy(RoleName="vidimus", PolicyName="kms", PolicyDocument=json.dumps(ANY))

# From here on every request needs credentials that hold.
settings.INITIAL_NO_AUTH_ACTION_COUNT = 0

print(
    json.dumps(
        {
            "url": url,
            "region": REGION,
            "accessKeyId": key["AccessKeyId"],
            "secretAccessKey": key["SecretAccessKey"],
            "roleArn": role["Arn"],
        }
    ),
    flush=True,
)
sys.stdin.read()
server.stop()
