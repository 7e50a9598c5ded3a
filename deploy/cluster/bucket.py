"""Makes the bucket of the cluster, once its store answers. Runs in the container of the store."""

import time

import boto3
import botocore.exceptions

# A store that is starting refuses connections.
ATTEMPTS = 100

for _ in range(ATTEMPTS):
    try:
        client = boto3.client(
            "s3",
            endpoint_url="http://127.0.0.1:5000",
            region_name="us-east-1",
            aws_access_key_id="trial",
            aws_secret_access_key="trial",
        )
        client.create_bucket(Bucket="indexes")
        break
    except botocore.exceptions.BotoCoreError:
        time.sleep(0.2)
else:
    raise SystemExit("the store does not answer")
