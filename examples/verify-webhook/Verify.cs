using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Webhook
{
    /// <summary>True when body (as received) was signed with secret within five minutes of now (Unix seconds).</summary>
    public static bool Verify(string secret, string id, string timestamp, string signature, byte[] body, long now)
    {
        long at;
        if (!long.TryParse(timestamp, out at) || Math.Abs(now - at) > 300) return false;
        var key = Convert.FromBase64String(secret.Replace("whsec_", ""));
        var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        using (var hmac = new HMACSHA256(key))
        {
            var expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(signed));
            return signature.Split(' ').Any(one => SameText(expected, one));
        }
    }

    // Takes the same time wherever the texts differ. With .NET 5 or later: CryptographicOperations.FixedTimeEquals.
    static bool SameText(string a, string b)
    {
        return a.Length == b.Length && a.Zip(b, (x, y) => x ^ y).Aggregate(0, (sum, x) => sum | x) == 0;
    }
}
