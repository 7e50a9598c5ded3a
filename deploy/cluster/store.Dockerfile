# The S3-compatible store of the trial cluster: moto. Its wheels were downloaded before, so that the build asks no registry.
ARG RUNTIME_IMAGE=debian:13.5-slim
FROM ${RUNTIME_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /opt/moto
COPY . /wheels
RUN /opt/moto/bin/pip install --quiet --no-index --find-links /wheels 'moto[server]'
