folder, secret, id, timestamp, signature, now = ARGV
require File.join(folder, "verify.rb")
puts verify(secret, id, timestamp, signature, $stdin.binmode.read, now.to_i)
