# The server: Django, the ASGI process, Celery and the built user interface. docker-compose.yml runs all of them from it.

FROM node:20.20.2-bookworm-slim AS ui
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY frontend/package.json frontend/
# Not `npm ci`: it refuses a lock that holds the optional packages of one platform only.
RUN npm install --no-save --no-audit --no-fund
COPY frontend/ frontend/
RUN npm run build

FROM python:3.11.16-slim-bookworm AS packages
WORKDIR /src
COPY requirements.lock deploy/docker/runtime_lock.py ./
# Wheels only, by their hashes, and not the developers' tools; the environment itself holds no installer.
RUN python runtime_lock.py requirements.lock > runtime.lock \
    && python -m venv --without-pip /opt/leadline/.venv \
    && python -m pip --python /opt/leadline/.venv/bin/python install --no-cache-dir --disable-pip-version-check \
        --no-deps --only-binary=:all: --require-hashes -r runtime.lock

FROM python:3.11.16-slim-bookworm
ENV PATH=/opt/leadline/.venv/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LANG=C.UTF-8 \
    HOME=/tmp
# The image comes with pip and its kin, which nothing here needs.
RUN python -m pip uninstall --yes --quiet --disable-pip-version-check --root-user-action=ignore setuptools wheel pip \
    && echo 'leadline:x:10001:10001::/tmp:/usr/sbin/nologin' >> /etc/passwd \
    && echo 'leadline:x:10001:' >> /etc/group
WORKDIR /opt/leadline
COPY --from=packages /opt/leadline/.venv .venv
COPY --from=ui /src/frontend/dist frontend/dist
COPY deploy/__init__.py deploy/processes.py deploy/processes.yaml deploy/settings.py deploy/
COPY deploy/docker/__init__.py deploy/docker/check_settings.py deploy/docker/prepare.py deploy/docker/
COPY backend/ backend/
# A clone made under a careful umask must not shut the processes out; compiled once here, as the files are read-only later.
RUN chmod -R a+rX /opt/leadline && python -m compileall -q backend deploy
USER 10001:10001
CMD ["python", "-m", "backend", "--help"]
