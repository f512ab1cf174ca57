using System;
using System.IO;

static class Driver
{
    static void Main(string[] words)
    {
        var body = new MemoryStream();
        Console.OpenStandardInput().CopyTo(body);
        var answer = Webhook.Verify(words[1], words[2], words[3], words[4], body.ToArray(), long.Parse(words[5]));
        Console.WriteLine(answer ? "true" : "false");
    }
}
