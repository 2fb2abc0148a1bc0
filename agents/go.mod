module leadline/agents

go 1.26.0

require (
	github.com/go-sql-driver/mysql v1.10.1
	github.com/klauspost/compress v1.20.3
	golang.org/x/term v0.47.0
)

require (
	filippo.io/edwards25519 v1.2.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
