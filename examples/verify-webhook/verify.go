package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// Verify tells whether body (as received) was signed with secret within five minutes of now (Unix seconds).
func Verify(secret, id, timestamp, signature string, body []byte, now int64) bool {
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now-at > 300 || at-now > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	found := false
	for _, one := range strings.Split(signature, " ") {
		found = hmac.Equal(expected, []byte(one)) || found
	}
	return found
}
