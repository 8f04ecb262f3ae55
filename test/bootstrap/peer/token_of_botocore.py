"""Prints the URL in the token that botocore signs for a cluster: token_of_botocore.py CLUSTER REGION KEY SECRET SESSION TIME"""

import datetime
import sys

import botocore.auth
import botocore.session
from botocore.signers import RequestSigner

cluster, region, key, secret, session_token, time = sys.argv[1:]


class Fixed(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(int(time) / 1000, datetime.timezone.utc).replace(tzinfo=None)

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(int(time) / 1000, tz)


botocore.auth.datetime = type("datetime", (), {"datetime": Fixed, "timezone": datetime.timezone, "timedelta": datetime.timedelta})
for name in ("get_current_datetime",):
    if hasattr(botocore.auth, name):
        setattr(botocore.auth, name, lambda *_, **__: Fixed.utcnow())
session = botocore.session.get_session()
session.set_credentials(key, secret, session_token)
client = session.create_client("sts", region_name=region)
signer = RequestSigner(
    client.meta.service_model.service_id, region, "sts", "v4", session.get_credentials(), session.get_component("event_emitter")
)
request = {
    "method": "GET",
    "url": f"https://sts.{region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
    "body": {},
    "headers": {"x-k8s-aws-id": cluster},
    "context": {},
}
print(signer.generate_presigned_url(request, region_name=region, expires_in=60, operation_name=""))
