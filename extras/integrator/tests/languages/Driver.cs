using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using Comanda;

/// <summary>Does with Comanda.cs what each line of the input says, and answers a line.</summary>
static class Driver
{
    static readonly Dictionary<string, ComandaClient> Clients = new Dictionary<string, ComandaClient>();

    static void Main()
    {
        // A comma for the point: numbers must not follow it.
        Thread.CurrentThread.CurrentCulture = new CultureInfo("es-UY");
        CultureInfo.DefaultThreadCurrentCulture = Thread.CurrentThread.CurrentCulture;
        var input = new System.IO.StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
        for (string line; (line = input.ReadLine()) != null;)
        {
            var bytes = Encoding.UTF8.GetBytes(Wrapped(Answered(Json.Parse(Encoding.UTF8.GetBytes(line)))) + "\n");
            Console.OpenStandardOutput().Write(bytes, 0, bytes.Length);
        }
    }

    static object Answered(Json command)
    {
        try
        {
            return Done(command);
        }
        catch (ComandaException error)
        {
            var fields = error.Fields.Select(each => new object[] { each.Path, each.Message }).ToArray();
            return Fault("kind", "refused", "status", error.Status, "code", error.Code, "reason", error.Reason, "detail", error.Detail,
                "fields", fields, "request_id", error.RequestId, "retry_after", error.RetryAfter, "since", error.Since,
                "location", error.Location, "text", error.Message);
        }
        catch (NoAnswerException error)
        {
            return Fault("kind", "no_answer", "idempotency_key", error.IdempotencyKey, "text", error.ToString());
        }
        catch (WebhookException error)
        {
            return Fault("kind", "webhook", "reason", error.Reason, "text", error.Message);
        }
        catch (ArgumentException error)
        {
            return Fault("kind", "argument", "text", error.ToString());
        }
    }

    static object Done(Json command)
    {
        var what = command["do"].Text;
        if (what == "verify")
        {
            var headers = command["headers"].Members;
            return Known("event", Webhook.Verify(
                command["secrets"].Select(each => each.Text), name => headers.ContainsKey(name) ? headers[name].Text : null,
                Convert.FromBase64String(command["body"].Text),
                now: new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero).AddSeconds(command["now"].Integer)));
        }
        var comanda = ClientOf(command["client"]);
        var path = command.Has("path") ? command["path"].Text : null;
        var parameters = command.Has("parameters") ? Plain(command["parameters"]) : null;
        switch (what)
        {
            case "show":
                return Known("text", comanda.ToString());
            case "threads":
                return Known("entries", Enumerable.Range(0, 8).AsParallel().WithDegreeOfParallelism(8).Select(n => comanda.Get(path)).ToArray());
            case "each":
                return Known("entries", comanda.Each(path, parameters).ToArray());
            case "changes":
            {
                var reading = comanda.Changes(path, parameters);
                var entries = (command.Has("take") ? reading.Take((int)command["take"].Integer) : reading).ToArray();
                return Known("entries", entries, "cursor", reading.Cursor);
            }
            case "events":
            {
                // As `await foreach` does.
                var reading = comanda.Events(parameters, command.Has("follow") ? TimeSpan.FromMilliseconds(50) : (TimeSpan?)null).GetAsyncEnumerator();
                var entries = new List<object>();
                var take = command.Has("take") ? command["take"].Integer : long.MaxValue;
                while (entries.Count < take && reading.MoveNextAsync().GetAwaiter().GetResult()) entries.Add(reading.Current);
                return Known("entries", entries.ToArray(), "cursor", reading.Cursor);
            }
            default:
            {
                var headers = command.Has("headers") ? command["headers"].Members.ToDictionary(each => each.Key, each => each.Value.Text) : null;
                var answer = comanda.Request(
                    command["method"].Text, path, parameters, command.Has("body") ? Plain(command["body"]) : null,
                    command.Has("idempotency_key") ? command["idempotency_key"].Text : null, headers);
                string etag;
                answer.Headers.TryGetValue("etag", out etag);
                return Known("status", answer.Status, "data", answer.Data, "is_replay", answer.IsReplay, "etag", etag);
            }
        }
    }

    static ComandaClient ClientOf(Json client)
    {
        ComandaClient found;
        if (Clients.TryGetValue(client.ToString(), out found)) return found;
        var timeout = client.Has("timeout_ms") ? TimeSpan.FromMilliseconds(client["timeout_ms"].Integer) : (TimeSpan?)null;
        found = new ComandaClient(client["url"].Text, client["key"].Text, timeout, client.Has("tries") ? (int)client["tries"].Integer : 5);
        return Clients[client.ToString()] = found;
    }

    /// Values of .NET's own, as a program has them.
    static object Plain(Json json)
    {
        var text = json.ToString();
        if (text.StartsWith("[")) return json.Select(Plain).ToArray();
        if (!text.StartsWith("{")) return text.StartsWith("\"") ? json.Text : (object)json;
        if (json.Has("$decimal")) return decimal.Parse(json["$decimal"].Text, CultureInfo.InvariantCulture);
        if (json.Has("$moment")) return DateTimeOffset.Parse(json["$moment"].Text, CultureInfo.InvariantCulture);
        if (json.Has("$date")) return json["$date"].Text;
        if (json.Has("$object")) return new object();
        return json.Members.ToDictionary(each => each.Key, each => each.Value.IsNull ? null : Plain(each.Value));
    }

    static Dictionary<string, object> Known(params object[] pairs)
    {
        var known = new Dictionary<string, object>();
        for (var index = 0; index < pairs.Length; index += 2)
            if (pairs[index + 1] != null) known[(string)pairs[index]] = pairs[index + 1];
        return known;
    }

    static object Fault(params object[] pairs)
    {
        return Known("error", Known(pairs));
    }

    static string Wrapped(object value)
    {
        if (value is Json json) return json.ToString();
        if (value is Dictionary<string, object> map)
            return "{" + string.Join(",", map.Select(each => Quoted(each.Key) + ":" + Wrapped(each.Value))) + "}";
        if (value is object[] list) return "[" + string.Join(",", list.Select(Wrapped)) + "]";
        if (value is bool truth) return truth ? "true" : "false";
        return value is string text ? Quoted(text) : ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture);
    }

    static string Quoted(string text)
    {
        return "\"" + string.Concat(text.Select(mark => "\\u" + ((int)mark).ToString("x4"))) + "\"";
    }
}
