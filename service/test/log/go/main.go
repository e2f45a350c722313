// Judges what our log wrote with Go's own packages: a note, trees, proofs, and tiles. Reads one JSON document, prints "agreed" or what it disagrees with.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type head struct {
	Size int64
	Root string
}

type inclusion struct {
	head
	Index int64
	Leaf  string
	Proof []string
}

type consistency struct {
	Old, New head
	Proof    []string
}

type tile struct {
	Level, Index int64
	Hashes       string
}

type document struct {
	Note, Key    string
	Inclusions   []inclusion
	Consistency  []consistency
	Tiles        []tile
	TilesOf      head
	SampleLeaves map[string]string
}

func main() {
	var given document
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		fail("unreadable: %v", err)
	}
	verifier, err := note.NewVerifier(given.Key)
	if err != nil {
		fail("key: %v", err)
	}
	if _, err := note.Open([]byte(given.Note), note.VerifierList(verifier)); err != nil {
		fail("note: %v", err)
	}
	for _, one := range given.Inclusions {
		if err := tlog.CheckRecord(hashes(one.Proof), one.Size, hash(one.Root), one.Index, tlog.RecordHash(bytes(one.Leaf))); err != nil {
			fail("leaf %d of %d: %v", one.Index, one.Size, err)
		}
	}
	for _, one := range given.Consistency {
		if err := tlog.CheckTree(hashes(one.Proof), one.New.Size, hash(one.New.Root), one.Old.Size, hash(one.Old.Root)); err != nil {
			fail("%d from %d: %v", one.New.Size, one.Old.Size, err)
		}
	}
	reader := tlog.TileHashReader(tlog.Tree{N: given.TilesOf.Size, Hash: hash(given.TilesOf.Root)}, tiles(given.Tiles))
	for index, leaf := range given.SampleLeaves {
		var at int64
		fmt.Sscan(index, &at)
		found, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, at)})
		if err != nil || found[0] != tlog.RecordHash(bytes(leaf)) {
			fail("leaf %d by tiles: %v", at, err)
		}
	}
	fmt.Println("agreed")
}

type stored map[string][]byte

func tiles(given []tile) stored {
	all := stored{}
	for _, one := range given {
		all[fmt.Sprintf("%d/%d", one.Level, one.Index)] = bytes(one.Hashes)
	}
	return all
}

func (all stored) Height() int { return 8 }

func (all stored) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	read := make([][]byte, len(wanted))
	for i, one := range wanted {
		held := all[fmt.Sprintf("%d/%d", one.L, one.N)]
		if len(held) < one.W*tlog.HashSize {
			return nil, fmt.Errorf("no tile %d/%d of width %d", one.L, one.N, one.W)
		}
		read[i] = held[:one.W*tlog.HashSize]
	}
	return read, nil
}

func (all stored) SaveTiles([]tlog.Tile, [][]byte) {}

func bytes(text string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		fail("base64: %v", err)
	}
	return decoded
}

func hash(text string) (made tlog.Hash) {
	copy(made[:], bytes(text))
	return made
}

func hashes(texts []string) []tlog.Hash {
	made := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		made[i] = hash(text)
	}
	return made
}

func fail(format string, about ...any) {
	fmt.Printf(format+"\n", about...)
	os.Exit(1)
}
