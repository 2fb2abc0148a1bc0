package push

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// issuer gives tokens, or an error, and notes when it was asked.
type issuer struct {
	start time.Time
	mu    sync.Mutex
	asked []time.Duration
	fail  error
}

func (i *issuer) set(fail error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fail = fail
}

func (i *issuer) ask(context.Context) (TokenAnswer, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, time.Since(i.start))
	if i.fail != nil {
		return TokenAnswer{}, i.fail
	}
	return TokenAnswer{Token: "token-" + string(rune('a'+len(i.asked)-1)), ExpiresIn: 600, ServerTime: unix(time.Now())}, nil
}

func runTokens(t *testing.T, i *issuer) (*Tokens, *int) {
	t.Helper()
	i.start = time.Now()
	changes := 0
	tokens := NewTokens(NewClock(nil), i.ask, func(TokenAnswer) {}, func() { changes++ })
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go tokens.Run(ctx)
	synctest.Wait()
	return tokens, &changes
}

func TestATokenIsRenewedAtHalfOfItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		tokens, changes := runTokens(t, i)
		time.Sleep(299 * time.Second) //nolint:forbidigo // the bubble's clock
		if token, err := tokens.Wait(t.Context()); token != "token-a" || err != nil {
			t.Errorf("after 299 s: %q, %v", token, err)
		}
		time.Sleep(2 * time.Second) //nolint:forbidigo // the bubble's clock
		synctest.Wait()
		if token, err := tokens.Wait(t.Context()); token != "token-b" || err != nil {
			t.Errorf("after 301 s: %q, %v", token, err)
		}
		if *changes != 0 {
			t.Errorf("%d changes told where all was well", *changes)
		}
	})
}

func TestATokenServesUntilItExpiresWhileTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		tokens, changes := runTokens(t, i)
		i.set(errors.New("away"))
		time.Sleep(590 * time.Second) //nolint:forbidigo // the bubble's clock
		if token, err := tokens.Wait(t.Context()); token != "token-a" || err != nil {
			t.Errorf("after 590 s: %q, %v", token, err)
		}
		synctest.Wait()
		if tokens.Problem() == nil || *changes != 1 {
			t.Errorf("the problem %v was told %d times", tokens.Problem(), *changes)
		}
		time.Sleep(20 * time.Second) //nolint:forbidigo // the bubble's clock
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if token, err := tokens.Wait(soon); err == nil {
			t.Errorf("after 610 s: %q", token)
		}
		i.set(nil)
		if token, err := tokens.Wait(t.Context()); token == "token-a" || err != nil {
			t.Errorf("when the server was back: %q, %v", token, err)
		}
		synctest.Wait()
		if tokens.Problem() != nil || *changes != 2 {
			t.Errorf("the problem %v was told %d times", tokens.Problem(), *changes)
		}
		for n := 1; n < len(i.asked); n++ {
			if gap := i.asked[n] - i.asked[n-1]; gap < shortest {
				t.Errorf("asked again after %v", gap)
			}
		}
	})
}

func TestARefusedTokenIsReplacedAtOnceButNotInALoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &issuer{}
		tokens, _ := runTokens(t, i)
		time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
		tokens.Invalidate("an older one")
		synctest.Wait()
		if len(i.asked) != 1 {
			t.Error("a token that nobody holds was replaced")
		}
		tokens.Invalidate("token-a")
		synctest.Wait()
		if len(i.asked) != 2 || i.asked[1] != time.Minute {
			t.Errorf("asked at %v", i.asked)
		}
		for range 20 { // a server that refuses what it has just given
			token, err := tokens.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tokens.Invalidate(token)
		}
		if took := time.Since(i.start) - time.Minute; took < 20*time.Second {
			t.Errorf("20 quarrels in %v", took)
		}
	})
}

func TestAnAnswerWithoutATokenIsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		tokens := NewTokens(NewClock(nil), func(context.Context) (TokenAnswer, error) {
			asked++
			return TokenAnswer{Token: "t", ExpiresIn: 0}, nil
		}, func(TokenAnswer) {}, func() {})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		tokens.Run(ctx)
		if tokens.Problem() == nil || asked < 2 || asked > 100 {
			t.Errorf("asked %d times, %v", asked, tokens.Problem())
		}
		<-tokens.Tried()
	})
}
