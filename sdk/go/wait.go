package vidimus

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	firstPause = time.Second
	pauseMax   = 5 * time.Second
	// By then every verification has ended or expired.
	longestLife = 65 * time.Minute
)

// Wait polls with backoff until the verification is no longer pending, then reads it. It ends with its context, and after 65 minutes
// with CodeTimeout. With a webhook you need no polling.
func (v *Verifications) Wait(ctx context.Context, id string) (*Verification, error) {
	end := v.transport.now().Add(longestLife)
	for pause := firstPause; ; pause = min(pauseMax, pause*5/4) {
		wait, pending, err := v.pauseBeforeNextPoll(ctx, id, pause)
		if err != nil {
			return nil, err
		}
		if !pending {
			return v.Get(ctx, id)
		}
		if v.transport.now().Add(wait).After(end) {
			return nil, &Error{Code: CodeTimeout, Message: fmt.Sprintf("Still pending after %s.", longestLife)}
		}
		if err := v.transport.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// Treats network errors, 429 and 5xx as pending, so a short outage does not end the wait.
func (v *Verifications) pauseBeforeNextPoll(ctx context.Context, id string, pause time.Duration) (time.Duration, bool, error) {
	answer, err := v.Status(ctx, id)
	if err == nil {
		return pause, answer.Status == StatusPending, nil
	}
	var refused *Error
	if errors.As(err, &refused) && (refused.Status == 0 || refused.Status == 429 || refused.Status >= 500) {
		return max(pause, refused.RetryAfter), true, nil
	}
	return 0, false, err
}
