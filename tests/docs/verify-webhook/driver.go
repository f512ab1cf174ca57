package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	body, _ := io.ReadAll(os.Stdin)
	now, _ := strconv.ParseInt(os.Args[6], 10, 64)
	fmt.Println(Verify(os.Args[2], os.Args[3], os.Args[4], os.Args[5], body, now))
}
