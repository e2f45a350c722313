package vidimus

import "context"

const pageSizeDefault = 100

// Iterator goes through all verifications, newest first, fetched page by page as you go.
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
	page          []Verification
	current       *Verification
	ended         bool
	err           error
}

// All begins before options.Before; options.Limit is the size of a page (default 100). It reads all of them and leaves out those
// of another status itself.
func (v *Verifications) All(options ListOptions) *Iterator {
	if options.Limit == 0 {
		options.Limit = pageSizeDefault
	}
	status := options.Status
	options.Status = ""
	return &Iterator{verifications: v, options: options, status: status}
}

// Next goes one further; false at the end, and after an error.
func (i *Iterator) Next(ctx context.Context) bool {
	for i.advance(ctx) {
		if i.status == "" || i.current.Status == i.status {
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

// Verification is the one that Next went to.
func (i *Iterator) Verification() *Verification { return i.current }

// Err is why Next ended early, if it did.
func (i *Iterator) Err() error { return i.err }
