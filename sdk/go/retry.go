package vidimus

import (
	"math"
	"time"
)

const (
	firstWait  = 250 * time.Millisecond
	backoffMax = 8 * time.Second
)

type retryTerms struct {
	retries     int
	longestWait time.Duration
}

// waitBeforeRetry returns how long to wait before the next attempt, and whether there may be one. repeatable: the call is idempotent
// (reads, erasure, calls with an idempotency key). chance is in [0, 1).
func waitBeforeRetry(e *Error, attempt int, repeatable bool, terms retryTerms, chance float64) (time.Duration, bool) {
	if attempt > terms.retries || !mayRetry(e, repeatable) {
		return 0, false
	}
	var wait time.Duration
	if e.HasRetryAfter {
		wait = e.RetryAfter + time.Duration(float64(firstWait)*chance)
	} else {
		// A whole window of jitter: callers that failed together do not come back together.
		backoff := math.Min(float64(backoffMax), float64(firstWait)*math.Pow(2, float64(attempt-1)))
		wait = time.Duration(backoff * (0.5 + chance/2))
	}
	return wait, wait <= terms.longestWait
}

func mayRetry(e *Error, repeatable bool) bool {
	switch {
	case e.Code == CodeRateLimitExceeded:
		// Refused before anything was done, whatever it was.
		return true
	case !repeatable:
		return false
	case e.Code == CodeIdempotencyKeyInFlight:
		return true
	}
	return e.Status == 0 || e.Status >= 500
}
