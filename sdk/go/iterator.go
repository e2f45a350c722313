package vidimus

import (
	"context"
	"errors"
)

const pageSizeDefault = 100

// Iterator iterates over all verifications, newest first. It fetches the next page when it needs it.
//
//	all := client.Verifications.All(vidimus.ListOptions{})
//	for all.Next(ctx) {
//		fmt.Println(all.Verification().ID)
//	}
//	if err := all.Err(); err != nil { … }
type Iterator struct {
	verifications *Verifications
	options       ListOptions
	status        Status
	template      string
	page          []Verification
	current       *Verification
	ended         bool
	err           error
}

// All iterates over verifications created before options.Before, in pages of options.Limit (default 100). It fetches every page and
// skips verifications with another status or template. It takes no Reference: only List searches for one.
func (v *Verifications) All(options ListOptions) *Iterator {
	if options.Limit == 0 {
		options.Limit = pageSizeDefault
	}
	iterator := &Iterator{verifications: v, status: options.Status, template: options.Template}
	if options.Reference != "" {
		iterator.err, iterator.ended = errors.New("vidimus: All takes no Reference; use List"), true
	}
	options.Status, options.Template, options.Reference = "", "", ""
	iterator.options = options
	return iterator
}

// Next moves to the next verification. It returns false at the end and after an error.
func (i *Iterator) Next(ctx context.Context) bool {
	for i.advance(ctx) {
		hasStatus := i.status == "" || i.current.Status == i.status
		if hasStatus && (i.template == "" || i.current.Template == i.template) {
			return true
		}
	}
	return false
}

func (i *Iterator) advance(ctx context.Context) bool {
	if len(i.page) == 0 && !i.ended {
		i.page, i.err = i.verifications.List(ctx, i.options)
		i.ended = i.err != nil || len(i.page) < i.options.Limit
	}
	if len(i.page) == 0 {
		i.current = nil
		return false
	}
	i.current, i.page = &i.page[0], i.page[1:]
	i.options.Before = i.current.CreatedAt
	return true
}

// Verification returns the current verification.
func (i *Iterator) Verification() *Verification { return i.current }

// Err returns the error that ended the iteration; nil if there was none.
func (i *Iterator) Err() error { return i.err }
