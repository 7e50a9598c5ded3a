# The S3-compatible store of the trial cluster: moto, from the Python registry.
ARG RUNTIME_IMAGE=debian:13.5-slim
FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/moto \
    && /opt/moto/bin/pip install --quiet 'moto[server]==5.2.5'
