# leadline-agent alone, for hosts that run everything in containers. docs/install.md has the command.

FROM golang:1.26.8-bookworm AS build
WORKDIR /src/agents
COPY agents/go.mod agents/go.sum ./
RUN go mod download
COPY agents/cmd/ cmd/
COPY agents/internal/ internal/
COPY pyproject.toml ../
RUN version=$(sed -n 's/^version = "\(.*\)"/\1/p' ../pyproject.toml) \
    && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$version" -o /out/leadline-agent ./cmd/leadline-agent \
    && mkdir -m 0700 /out/state

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/leadline-agent /usr/local/bin/leadline-agent
COPY --from=build --chown=10001:10001 /out/state /var/lib/leadline-agent
# The host's own / is mounted there.
ENV LEADLINE_HOST_ROOT=/host
VOLUME /var/lib/leadline-agent
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/leadline-agent"]
CMD ["run"]
