// Asks Go's own log tools (golang.org/x/mod, the code behind the Go checksum database) about a running log:
//
//	main URL VERIFIER-KEY
//
// note.Open must accept the tree head, tlog.TileHashReader must rebuild the tree from the tiles and find every entry of
// the bundles in it, and tlog must accept the proofs of the server's API. Prints how much it looked at.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height = 8
	width  = 1 << height
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: main URL VERIFIER-KEY")
		os.Exit(2)
	}
	if err := check(&log{url: os.Args[1]}, os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A log is a server; it reads tiles as tlog wants them.
type log struct {
	url   string
	tiles int // confirmed to be in the tree
}

func check(l *log, key string) error {
	tree, err := l.treeHead(key)
	if err != nil {
		return fmt.Errorf("tree head: %w", err)
	}
	reader := tlog.TileHashReader(tree, l)
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil {
		return fmt.Errorf("tiles: %w", err)
	}
	if root != tree.Hash {
		return fmt.Errorf("tiles: they make %v, the tree head says %v", root, tree.Hash)
	}
	if err := l.entries(tree, reader); err != nil {
		return fmt.Errorf("entries: %w", err)
	}
	proofs, err := l.consistency(tree, reader)
	if err != nil {
		return fmt.Errorf("consistency: %w", err)
	}
	inclusions, err := l.inclusion(tree, reader)
	if err != nil {
		return fmt.Errorf("inclusion: %w", err)
	}
	fmt.Printf("size %d, %d tiles confirmed, %d entries, %d consistency and %d inclusion proofs\n",
		tree.N, l.tiles, tree.N, proofs, inclusions)
	return nil
}

// treeHead reads the tree head under the name that C2SP's clients ask for, and opens it with the one key that is known.
func (l *log) treeHead(key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	body, err := l.get("/log/checkpoint")
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(body, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("not three lines that begin with %q: %q", verifier.Name(), opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	hash, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: hash}, err
}

// entries reads every entry out of its bundle and compares its hash with the one that the tiles proved.
func (l *log) entries(tree tlog.Tree, reader tlog.HashReader) error {
	for first := int64(0); first < tree.N; first += width {
		count := tree.N - first
		if count > width {
			count = width
		}
		path := tlog.Tile{H: height, L: 0, N: first / width, W: int(count)}.Path()
		bundle, err := l.get("/log/tile/entries/" + strings.TrimPrefix(path, fmt.Sprintf("tile/%d/0/", height)))
		if err != nil {
			return err
		}
		indexes := make([]int64, count)
		for i := range indexes {
			indexes[i] = tlog.StoredHashIndex(0, first+int64(i))
		}
		hashes, err := reader.ReadHashes(indexes)
		if err != nil {
			return err
		}
		for i, hash := range hashes {
			if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
				return fmt.Errorf("the bundle ends inside entry %d", first+int64(i))
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			if tlog.RecordHash(bundle[2:end]) != hash {
				return fmt.Errorf("entry %d is not the leaf of the tree", first+int64(i))
			}
			bundle = bundle[end:]
		}
		if len(bundle) != 0 {
			return fmt.Errorf("%d bytes follow the last entry of a bundle", len(bundle))
		}
	}
	return nil
}

// consistency asks the server to prove earlier trees; tlog must accept each proof and make the same one from tiles.
func (l *log) consistency(tree tlog.Tree, reader tlog.HashReader) (int, error) {
	var answer struct{ Proof []string }
	count := 0
	for old := int64(1); old <= tree.N; old += 1 + old/7 {
		if err := l.getJSON(fmt.Sprintf("/api/v1/log/consistency?from=%d&to=%d", old, tree.N), &answer); err != nil {
			return count, err
		}
		proof, err := hashes(answer.Proof)
		if err != nil {
			return count, err
		}
		root, err := tlog.TreeHash(old, reader)
		if err != nil {
			return count, err
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, old, root); err != nil {
			return count, fmt.Errorf("from %d: %w", old, err)
		}
		own, err := tlog.ProveTree(tree.N, old, reader)
		if err != nil {
			return count, err
		}
		if fmt.Sprint(own) != fmt.Sprint(tlog.TreeProof(proof)) {
			return count, fmt.Errorf("from %d: tlog proves it by other hashes", old)
		}
		count++
	}
	return count, nil
}

// inclusion does the same for the proofs that come with an entry.
func (l *log) inclusion(tree tlog.Tree, reader tlog.HashReader) (int, error) {
	var answer struct {
		Entry struct {
			Record    []byte
			Inclusion []string
		}
	}
	count := 0
	for index := int64(0); index < tree.N; index += 1 + index/7 {
		if err := l.getJSON(fmt.Sprintf("/api/v1/entries/%d/verification", index), &answer); err != nil {
			return count, err
		}
		proof, err := hashes(answer.Entry.Inclusion)
		if err != nil {
			return count, err
		}
		leaf := tlog.RecordHash(answer.Entry.Record)
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, leaf); err != nil {
			return count, fmt.Errorf("entry %d: %w", index, err)
		}
		own, err := tlog.ProveRecord(tree.N, index, reader)
		if err != nil {
			return count, err
		}
		if fmt.Sprint(own) != fmt.Sprint(tlog.RecordProof(proof)) {
			return count, fmt.Errorf("entry %d: tlog proves it by other hashes", index)
		}
		count++
	}
	return count, nil
}

// Height returns the height of the tiles.
func (l *log) Height() int { return height }

// ReadTiles reads tiles. C2SP's path is Go's without the height.
func (l *log) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		body, err := l.get("/log/tile/" + strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height)))
		if err != nil {
			return nil, err
		}
		if len(body) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s has %d bytes", tile.Path(), len(body))
		}
		data[i] = body
	}
	return data, nil
}

// SaveTiles counts the tiles that were found to be in the tree.
func (l *log) SaveTiles(tiles []tlog.Tile, _ [][]byte) { l.tiles += len(tiles) }

func (l *log) getJSON(path string, into any) error {
	body, err := l.get(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func (l *log) get(path string) ([]byte, error) {
	answer, err := http.Get(l.url + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", path, answer.Status, body)
	}
	return body, err
}

func hashes(texts []string) ([]tlog.Hash, error) {
	proof := make([]tlog.Hash, len(texts))
	for i, text := range texts {
		bytes, err := hex.DecodeString(text)
		if err != nil || len(bytes) != tlog.HashSize {
			return nil, fmt.Errorf("%q is not a hash", text)
		}
		copy(proof[i][:], bytes)
	}
	return proof, nil
}
