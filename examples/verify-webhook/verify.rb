require "openssl"

# True when body (as received) was signed with secret within five minutes.
def verify(secret, id, timestamp, signature, body, now = Time.now.to_i)
  return false unless timestamp.match?(/\A\d+\z/) && (now - timestamp.to_i).abs <= 300

  key = secret.delete_prefix("whsec_").unpack1("m")
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1," + [digest].pack("m0")
  signature.split(" ").any? { |one| OpenSSL.secure_compare(expected, one) }
end
