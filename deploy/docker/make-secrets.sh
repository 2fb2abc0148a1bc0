#!/bin/sh
# Makes the secrets of a server, each in a file of its own: sh deploy/docker/make-secrets.sh [FOLDER]
# FOLDER is .secrets for docker-compose.yml and /etc/leadline/secrets for the systemd units. What exists is kept.
# The folder is 0700 and keeps everybody out; the files are 0644 because compose mounts them as they are, and the
# processes in the containers are neither their owner nor root.
set -eu
umask 077
folder=${1:-.secrets}
mkdir -p "$folder"
chmod 700 "$folder"

# 32 random bytes in URL-safe base64: a Fernet key, and without the padding a password that needs no quoting anywhere.
key() { head -c 32 /dev/urandom | base64 | tr -d '\n' | tr '+/' '-_'; echo; }
password() { key | tr -d '='; }

# A file appears as a whole or not at all.
keep() {
    cat > "$folder/.new"
    chmod 644 "$folder/.new"
    mv "$folder/.new" "$folder/$1"
}

[ -s "$folder/encryption_keys" ] || key | keep encryption_keys
for name in secret_key database_password postgres_password redis_password; do
    [ -s "$folder/$name" ] || password | keep "$name"
done
# Redis takes its password from a line of configuration; it always follows redis_password.
sed 's/^/requirepass /' "$folder/redis_password" | keep redis_auth
# Stands for the certificate and the key where TLS is not used.
keep no_tls < /dev/null
echo '*' | keep .gitignore
echo "secrets are in $folder; keep a copy of encryption_keys in a safe place"
