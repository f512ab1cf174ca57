// Comanda.cs {{version}}: {{docs.title}}
// SPDX-License-Identifier: {{license}}. Needs .NET 8 or newer, or Mono 6.8 or newer, {{docs.nothingElse}}
#if NETCOREAPP
#pragma warning disable nullable
#endif

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Comanda
{
    /// <summary>
    /// {{docs.theApi}}: orders, catalog, stock and events. Threads may share it.
    /// <code>
    /// var comanda = new ComandaClient("{{exampleUrl}}", Environment.GetEnvironmentVariable("COMANDA_KEY"));
    /// var order = comanda.Get("/v2/orders/{id}", new { id = orderId });
    /// foreach (var product in comanda.Each("/v2/products", new { visible = true }))
    ///     Console.WriteLine(product["name"].Text + " " + product["price"].Number);
    /// </code>
    /// {{docs.paths}}. Parameters (an anonymous object or a dictionary) fill the braces of the path; the others
    /// become the query.
    /// {{docs.repeats}}
    /// {{docs.delays}}
    /// A <c>{{headers.retryAfter}}</c> beyond <c>longestWait</c> is not waited for: the call throws its <see cref="ComandaException"/>.
    /// {{docs.writes}}
    /// </summary>
    public sealed class ComandaClient
    {
        public const string Version = "{{version}}";

        static readonly int[] MayPass = { {{calls.repeatedStatuses}} };
        static readonly Random Chance = new Random();

        readonly string url;
        readonly string key;
        readonly TimeSpan timeout;
        readonly int tries;
        readonly TimeSpan longestWait;
        readonly HttpClient http;

        /// <summary>By itself with {{calls.timeoutSeconds}} seconds for an answer, and waits of at most {{calls.longestWaitSeconds}} seconds.</summary>
        public ComandaClient(string url, string key, TimeSpan? timeout = null, int tries = {{calls.tries}}, TimeSpan? longestWait = null)
        {
            if (url == null || !Regex.IsMatch(url, @"\Ahttps?://[^/]"))
                throw new ArgumentException("{{messages.badUrl}}");
            if (key == null || !Regex.IsMatch(key, @"\A[\x21-\x7e]+\z")) throw new ArgumentException("{{messages.badKey}}");
            this.url = url.TrimEnd('/');
            this.key = key;
            this.timeout = timeout ?? TimeSpan.FromSeconds({{calls.timeoutSeconds}});
            this.tries = tries;
            this.longestWait = longestWait ?? TimeSpan.FromSeconds({{calls.longestWaitSeconds}});
            // A redirect is not followed: the key is for this host alone.
            http = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false });
            http.Timeout = Timeout.InfiniteTimeSpan;
        }

        public override string ToString()
        {
            return "ComandaClient(" + url + ")";
        }

        /// <summary>{{docs.gets}}</summary>
        public Json Get(string path, object parameters = null)
        {
            return Request("GET", path, parameters).Data;
        }

        /// <summary>{{docs.posts}} {{docs.ownKey}}</summary>
        public Json Post(string path, object parameters, object body, string idempotencyKey = null)
        {
            return Request("POST", path, parameters, body, idempotencyKey).Data;
        }

        /// <summary>{{docs.patches}}</summary>
        public Json Patch(string path, object parameters, object body, string idempotencyKey = null)
        {
            return Request("PATCH", path, parameters, body, idempotencyKey).Data;
        }

        /// <summary>{{docs.deletes}}</summary>
        public Json Delete(string path, object parameters = null, string idempotencyKey = null)
        {
            return Request("DELETE", path, parameters, null, idempotencyKey).Data;
        }

        /// <summary>{{docs.anyCall}} Throws <see cref="ComandaException"/> or <see cref="NoAnswerException"/>.</summary>
        public Answer Request(
            string method, string path, object parameters = null, object body = null, string idempotencyKey = null,
            IDictionary<string, string> headers = null)
        {
            return RequestAsync(method, path, parameters, body, idempotencyKey, headers).GetAwaiter().GetResult();
        }

        /// <summary>As <see cref="Request"/>, without holding a thread.</summary>
        public async Task<Answer> RequestAsync(
            string method, string path, object parameters = null, object body = null, string idempotencyKey = null,
            IDictionary<string, string> headers = null, CancellationToken cancel = default(CancellationToken))
        {
            var sent = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase)
            {
                ["Authorization"] = "Bearer " + key, ["Accept"] = "application/json", ["User-Agent"] = "Comanda.cs/" + Version,
            };
            foreach (var each in headers ?? new Dictionary<string, string>()) sent[each.Key] = each.Value;
            if (method != "GET" && method != "HEAD")
                sent["{{headers.idempotencyKey}}"] = idempotencyKey = idempotencyKey ?? Guid.NewGuid().ToString();
            if (sent.Any(each => each.Value.Any(char.IsControl))) throw new ArgumentException("{{messages.badHeader}}");
            var address = new Uri(url + Filled(path, parameters));
            var content = body == null ? null : new UTF8Encoding(false).GetBytes(Json.TextOf(body));
            for (var tried = 1; ; tried++)
            {
                double wait;
                lock (Chance) wait = Math.Min(Math.Pow(2, tried - 1), {{calls.longestDelaySeconds}}) * ({{calls.leastDelayFactor}} + Chance.NextDouble() * {{calls.delayFactorRange}});
                try
                {
                    var answer = await Exchange(method, address, sent, content, cancel).ConfigureAwait(false);
                    if (answer.Status < 300 || answer.Status == 304) return answer.Parsed();
                    var error = new ComandaException(answer);
                    wait = error.RetryAfter ?? wait;
                    if (!MayPass.Contains(answer.Status) || tried >= tries || wait > longestWait.TotalSeconds) throw error;
                }
                catch (Exception fault) when (fault is HttpRequestException || fault is IOException || fault is TimeoutException)
                {
                    if (tried >= tries) throw new NoAnswerException("{{messages.noAnswerFrom}} " + url + ": " + Innermost(fault).Message, fault, idempotencyKey);
                }
                await Task.Delay(TimeSpan.FromMilliseconds(Math.Ceiling(wait * 1000)), cancel).ConfigureAwait(false);
            }
        }

        /// <summary>{{docs.each}} <c>order = "asc"</c>: {{docs.elseTwice}}</summary>
        public IEnumerable<Json> Each(string path, object parameters = null)
        {
            var asked = With(new { limit = {{lists.pageLimit}}, offset = 0 }, parameters);
            for (var offset = long.Parse(Text(asked["offset"]), CultureInfo.InvariantCulture); ;)
            {
                asked["offset"] = offset;
                var body = Request("GET", path, asked).Body;
                foreach (var entry in body["data"]) yield return entry;
                // Large entries make a page shorter than was asked for: its limit shows that.
                offset += body["pagination"]["limit"].Integer;
                if (offset >= body["pagination"]["total"].Integer) yield break;
            }
        }

        /// <summary>
        /// What changed of <c>/v2/orders</c>, <c>/v2/products</c>, <c>/v2/stock</c> and others: <c>parameters</c> hold
        /// <c>updated_since</c> the first time, and <c>cursor</c> from then on.
        /// </summary>
        public Reading Changes(string path, object parameters)
        {
            var asked = With(new { limit = {{lists.pageLimit}} }, parameters);
            var first = Taken(asked, "cursor");
            var since = Taken(asked, "updated_since");
            if ((first == null) == (since == null)) throw new ArgumentException("{{messages.badPlace}}");
            return new Reading(first == null ? null : Text(first), async (cursor, cancel) =>
            {
                var place = cursor == null ? With(new { updated_since = since }) : With(new { cursor });
                var body = (await RequestAsync("GET", path, With(asked, place), cancel: cancel).ConfigureAwait(false)).Body;
                var entries = body["data"].List;
                var next = body["pagination"]["next"].Text;
                // The cursor of a page counts when all of the page is done.
                var cursors = entries.Select((entry, index) => index == entries.Count - 1 ? next : cursor).ToList();
                return new Page(entries, cursors, next, entries.Count < body["pagination"]["limit"].Integer, TimeSpan.Zero);
            });
        }

        /// <summary>
        /// The feed of events in its order, to its end: <c>after</c> an event, or <c>since</c> a moment, or all of {{lists.feedDays}} days;
        /// <c>after = "latest"</c> is now. With <c>follow</c> it has no end, and asks again every so often. Keep the cursor of the
        /// reading, and give it as <c>after</c> the next time. An unknown cursor is a <see cref="ComandaException"/> with the reason
        /// <c>{{reasons.unknownCursor}}</c>: begin with <c>since</c>. A cursor that a restore of the service took has the reason
        /// <c>{{reasons.cursorNotRestored}}</c>: begin with <c>Since</c> of the exception.
        /// </summary>
        public Reading Events(object parameters = null, TimeSpan? follow = null)
        {
            var asked = With(new { limit = {{lists.pageLimit}} }, parameters);
            var first = Taken(asked, "after");
            var since = Taken(asked, "since");
            return new Reading(first == null ? null : Text(first), async (after, cancel) =>
            {
                var place = after == null ? With(new { since }) : With(new { after });
                var body = (await RequestAsync("GET", "{{lists.eventsPath}}", With(asked, place), cancel: cancel).ConfigureAwait(false)).Body;
                var entries = body["data"].List;
                var cursors = entries.Select(each => each["id"].Text).ToList();
                var next = body["pagination"].Has("next") ? body["pagination"]["next"].Text : cursors.LastOrDefault() ?? after;
                var isShort = entries.Count < body["pagination"]["limit"].Integer;
                return new Page(entries, cursors, next, isShort && follow == null, isShort && follow != null ? follow.Value : TimeSpan.Zero);
            });
        }

        async Task<Answer> Exchange(
            string method, Uri address, Dictionary<string, string> headers, byte[] content, CancellationToken cancel)
        {
            using (var request = new HttpRequestMessage(new HttpMethod(method), address))
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                foreach (var each in headers) request.Headers.TryAddWithoutValidation(each.Key, each.Value);
                if (content != null)
                {
                    request.Content = new ByteArrayContent(content);
                    request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
                }
                limit.CancelAfter(timeout);
                try
                {
                    using (var response = await http.SendAsync(request, HttpCompletionOption.ResponseContentRead, limit.Token).ConfigureAwait(false))
                    {
                        var said = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
                        foreach (var each in response.Headers.Concat(response.Content.Headers)) said[each.Key] = string.Join(", ", each.Value);
                        var bytes = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                        return new Answer((int)response.StatusCode, said, bytes);
                    }
                }
                catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
                {
                    throw new TimeoutException("{{messages.notWithin}} " + timeout.TotalSeconds.ToString(CultureInfo.InvariantCulture) + " s");
                }
            }
        }

        static Exception Innermost(Exception fault)
        {
            return fault.InnerException == null ? fault : Innermost(fault.InnerException);
        }

        static Dictionary<string, object> With(params object[] sources)
        {
            var all = new Dictionary<string, object>();
            foreach (var source in sources.Where(each => each != null))
                foreach (var each in Json.MembersOf(source)) all[each.Key] = each.Value;
            return all;
        }

        static object Taken(Dictionary<string, object> from, string name)
        {
            object value;
            from.TryGetValue(name, out value);
            from.Remove(name);
            return value;
        }

        static string Filled(string path, object parameters)
        {
            var left = With(parameters);
            var filled = Regex.Replace(path, @"\{(\w+)\}", match =>
            {
                var value = Taken(left, match.Groups[1].Value);
                if (value == null) throw new ArgumentException(path + " needs " + match.Groups[1].Value);
                var text = Text(value);
                // A Uri takes these for steps of the path, however they are written.
                if (text == "." || text == "..") throw new ArgumentException(match.Groups[1].Value + " must not be " + text);
                return Uri.EscapeDataString(text);
            });
            var query = left.Where(each => each.Value != null).Select(each => Uri.EscapeDataString(each.Key) + "=" + Uri.EscapeDataString(Text(each.Value)));
            return filled + (query.Any() ? "?" + string.Join("&", query) : "");
        }

        /// <summary>A value as it is written in a query.</summary>
        internal static string Text(object value)
        {
            if (value is string text) return text;
            if (value is bool truth) return truth ? "true" : "false";
            if (value is Json json) return json.IsText ? json.Text : json.ToString();
            if (value is DateTimeOffset moment) return moment.ToString("o", CultureInfo.InvariantCulture);
            if (value is DateTime time)
            {
                if (time.Kind == DateTimeKind.Unspecified) throw new ArgumentException("a DateTime must be of the kind Utc or Local, or a DateTimeOffset");
                return time.ToString("o", CultureInfo.InvariantCulture);
            }
            if (value is Guid || value is Enum) return value.ToString();
            if (value is IEnumerable several) return string.Join(",", several.Cast<object>().Select(Text));
            // Mono does not know DateOnly.
            var format = value.GetType().FullName == "System.DateOnly" ? "o" : null;
            if (format != null || Json.IsNumber(value)) return ((IFormattable)value).ToString(format, CultureInfo.InvariantCulture);
            throw new ArgumentException(value.GetType().FullName + " {{messages.cannotBeSent}}");
        }
    }

    /// <summary>{{docs.answer}}</summary>
    public sealed class Answer
    {
        public int Status { get; private set; }
        /// <summary>By their names, in any case.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; private set; }
        /// <summary>All of it, parsed: <c>data</c>, and <c>pagination</c> for a list. Null for a 304.</summary>
        public Json Body { get; private set; }
        internal readonly byte[] Bytes;

        internal Answer(int status, Dictionary<string, string> headers, byte[] bytes)
        {
            Status = status;
            Headers = headers;
            Bytes = bytes;
        }

        /// <summary>{{docs.data}}</summary>
        public Json Data { get { return Body == null ? null : Body["data"]; } }

        /// <summary>{{docs.isReplay}}</summary>
        public bool IsReplay { get { return Header("{{headers.idempotencyReplayed}}") == "true"; } }

        internal string Header(string name)
        {
            string value;
            return Headers.TryGetValue(name, out value) ? value : null;
        }

        internal Answer Parsed()
        {
            try
            {
                if (Status != 304 && Bytes.Length > 0) Body = Json.Parse(Bytes);
                return this;
            }
            catch (FormatException fault)
            {
                throw new IOException("{{messages.answerIsNotJson}}: " + fault.Message);
            }
        }
    }

    internal sealed class Page
    {
        internal readonly IList<Json> Entries;
        internal readonly IList<string> Cursors;
        internal readonly string Next;
        internal readonly bool IsLast;
        internal readonly TimeSpan Pause;

        internal Page(IList<Json> entries, IList<string> cursors, string next, bool isLast, TimeSpan pause)
        {
            Entries = entries;
            Cursors = cursors;
            Next = next;
            IsLast = isLast;
            Pause = pause;
        }
    }

    /// <summary>Entries one after the other, and the cursor behind them: for <c>foreach</c>, and for <c>await foreach</c>.</summary>
    public sealed class Reading : IEnumerable<Json>
    {
        readonly Func<string, CancellationToken, Task<Page>> read;
        Page page;
        int at;
        CancellationToken cancel;

        internal Reading(string cursor, Func<string, CancellationToken, Task<Page>> read)
        {
            Cursor = cursor;
            this.read = read;
        }

        /// <summary>{{docs.cursor}}</summary>
        public string Cursor { get; private set; }

        public Json Current { get; private set; }

        /// <summary>Goes on to the next entry; false at the end.</summary>
        public async Task<bool> MoveNextAsync()
        {
            while (page == null || at == page.Entries.Count)
            {
                if (page != null)
                {
                    Cursor = page.Next;
                    if (page.IsLast) return false;
                    await Task.Delay(page.Pause, cancel).ConfigureAwait(false);
                }
                page = await read(Cursor, cancel).ConfigureAwait(false);
                at = 0;
            }
            Current = page.Entries[at];
            Cursor = page.Cursors[at++];
            return true;
        }

        public Reading GetAsyncEnumerator(CancellationToken cancel = default(CancellationToken))
        {
            this.cancel = cancel;
            return this;
        }

        public IEnumerator<Json> GetEnumerator()
        {
            while (MoveNextAsync().GetAwaiter().GetResult()) yield return Current;
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }
    }

    /// <summary>{{docs.fieldFault}}.</summary>
    public sealed class FieldFault
    {
        /// <summary>As in <c>items[0].quantity</c>; {{docs.whole}}.</summary>
        public string Path { get; private set; }
        /// <summary>For a person.</summary>
        public string Message { get; private set; }

        internal FieldFault(string path, string message)
        {
            Path = path;
            Message = message;
        }
    }

    /// <summary>The API refused. Decide by <c>Status</c>, then <c>Code</c>, then <c>Reason</c>; <c>/docs/errors</c> of the service explains each.</summary>
    public sealed class ComandaException : Exception
    {
        public int Status { get; private set; }
        public string Code { get; private set; }
        /// <summary>{{docs.reason}}</summary>
        public string Reason { get; private set; }
        /// <summary>{{docs.detail}} <c>Message</c> is fit for a terminal.</summary>
        public string Detail { get; private set; }
        /// <summary>{{docs.fields}}</summary>
        public IReadOnlyList<FieldFault> Fields { get; private set; }
        /// <summary>{{docs.requestId}}</summary>
        public string RequestId { get; private set; }
        /// <summary>{{docs.retryAfter}}.</summary>
        public double? RetryAfter { get; private set; }
        /// <summary>{{docs.since}}.</summary>
        public string Since { get; private set; }
        /// <summary>{{docs.location}}.</summary>
        public string Location { get; private set; }

        internal ComandaException(Answer answer) : this(answer, ErrorIn(answer.Bytes)) {}

        ComandaException(Answer answer, Dictionary<string, string> error) : base(Printable.Of(string.Format(
            CultureInfo.InvariantCulture, "{0} {1}: {2} (request {3})", answer.Status, answer.Header("{{headers.errorReason}}") ?? Of(error, "code"),
            DetailOf(answer, error), RequestOf(answer, error))))
        {
            Status = answer.Status;
            Code = Of(error, "code") ?? "";
            Reason = answer.Header("{{headers.errorReason}}") ?? "";
            Detail = DetailOf(answer, error);
            Fields = Code == "{{reasons.validationError}}" ? FieldsIn(Detail) : new List<FieldFault>();
            RequestId = RequestOf(answer, error);
            RetryAfter = RetryAfterOf((answer.Header("{{headers.retryAfter}}") ?? "").Trim());
            Since = answer.Header("{{headers.errorSince}}");
            Location = answer.Header("Location");
        }

        static string Of(Dictionary<string, string> error, string name)
        {
            string value;
            return error.TryGetValue(name, out value) ? value : null;
        }

        static string DetailOf(Answer answer, Dictionary<string, string> error)
        {
            return Of(error, "message") ?? "{{messages.answerWas}} " + answer.Status.ToString(CultureInfo.InvariantCulture);
        }

        static string RequestOf(Answer answer, Dictionary<string, string> error)
        {
            return Of(error, "request_id") ?? answer.Header("{{headers.requestId}}") ?? "";
        }

        static Dictionary<string, string> ErrorIn(byte[] body)
        {
            try
            {
                return Json.Parse(body)["error"].Members.ToDictionary(each => each.Key, each => ComandaClient.Text(each.Value));
            }
            catch (Exception fault) when (fault is FormatException || fault is KeyNotFoundException || fault is InvalidCastException)
            {
                // Something in between wrote it.
                return new Dictionary<string, string>();
            }
        }

        static List<FieldFault> FieldsIn(string message)
        {
            var faults = new List<FieldFault>();
            foreach (var part in Regex.Split(Regex.Replace(message, @"; and \d+ more\z", ""), "; "))
            {
                var named = Regex.Match(part, @"\A([A-Za-z_][\w.\[\]-]*): (.*)\z", RegexOptions.Singleline);
                if (named.Success) faults.Add(new FieldFault(named.Groups[1].Value, named.Groups[2].Value));
                else if (faults.Count == 0) faults.Add(new FieldFault("", part));
                // A semicolon of the sentence itself.
                else faults[faults.Count - 1] = new FieldFault(faults.Last().Path, faults.Last().Message + "; " + part);
            }
            return faults;
        }

        static double? RetryAfterOf(string said)
        {
            if (Regex.IsMatch(said, @"\A[0-9]+\z")) return double.Parse(said, CultureInfo.InvariantCulture);
            DateTimeOffset moment;
            if (!DateTimeOffset.TryParseExact(said, "r", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out moment)) return null;
            return Math.Max(0, (moment - DateTimeOffset.UtcNow).TotalSeconds);
        }
    }

    /// <summary>{{docs.noAnswer}} <c>IdempotencyKey</c>.</summary>
    public sealed class NoAnswerException : Exception
    {
        /// <summary>Of a write; null for a read.</summary>
        public string IdempotencyKey { get; private set; }

        internal NoAnswerException(string message, Exception cause, string idempotencyKey) : base(Printable.Of(message), cause)
        {
            IdempotencyKey = idempotencyKey;
        }
    }

    /// <summary>{{docs.webhookError}}</summary>
    public sealed class WebhookException : Exception
    {
        /// <summary>
        /// <c>{{reasons.missingHeader}}</c>, <c>{{reasons.malformedHeader}}</c>, <c>{{reasons.oldTimestamp}}</c>, <c>{{reasons.futureTimestamp}}</c>, <c>{{reasons.alteredBody}}</c>,
        /// <c>{{reasons.wrongSecret}}</c> or <c>{{reasons.malformedBody}}</c>.
        /// </summary>
        public string Reason { get; private set; }

        internal WebhookException(string reason, string message) : base(Printable.Of(message))
        {
            Reason = reason;
        }
    }

    public static class Webhook
    {
        /// <summary>
        /// {{docs.verifies}}; throws <see cref="WebhookException"/>.
        /// </summary>
        /// <param name="secret">The secret of the endpoint (<c>{{webhooks.secretPrefix}}...</c>).</param>
        /// <param name="header">Gives a header of the request by its name, in any case, or null: <c>name => Request.Headers[name]</c>.</param>
        /// <param name="body">The {{docs.received}}.</param>
        /// <param name="tolerance">Either way; by itself {{webhooks.toleranceSeconds}} seconds.</param>
        /// <param name="now">By itself the clock of the machine.</param>
        public static Json Verify(
            string secret, Func<string, string> header, byte[] body, TimeSpan? tolerance = null, DateTimeOffset? now = null)
        {
            return Verify(new[] { secret }, header, body, tolerance, now);
        }

        /// <summary>With several secrets, as around a rotation.</summary>
        public static Json Verify(
            IEnumerable<string> secrets, Func<string, string> header, byte[] body, TimeSpan? tolerance = null, DateTimeOffset? now = null)
        {
            var id = HeaderOf(header, "{{headers.webhookId}}");
            var timestamp = HeaderOf(header, "{{headers.webhookTimestamp}}");
            var signatures = HeaderOf(header, "{{headers.webhookSignature}}");
            if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,{{webhooks.timestampDigits}}}\z"))
                throw new WebhookException("{{reasons.malformedHeader}}", "{{messages.malformedTimestamp}}");
            var at = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);
            var age = ((now ?? DateTimeOffset.UtcNow).UtcDateTime - at).TotalSeconds - long.Parse(timestamp, CultureInfo.InvariantCulture);
            var limit = (tolerance ?? TimeSpan.FromSeconds({{webhooks.toleranceSeconds}})).TotalSeconds;
            var seconds = Math.Round(Math.Abs(age)).ToString(CultureInfo.InvariantCulture);
            if (age > limit) throw new WebhookException("{{reasons.oldTimestamp}}", "{{messages.timestampIs}} " + seconds + " {{messages.secondsOld}}");
            if (-age > limit) throw new WebhookException("{{reasons.futureTimestamp}}", "{{messages.timestampIs}} " + seconds + " {{messages.secondsAhead}}");
            var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
            var isOurs = false;
            foreach (var secret in secrets)
            {
                string expected;
                using (var hmac = new HMACSHA256(KeyOf(secret))) expected = "{{webhooks.signaturePrefix}}" + Convert.ToBase64String(hmac.ComputeHash(signed));
                // Every pair is compared: the time taken shows nothing.
                foreach (var signature in signatures.Split((char[])null, StringSplitOptions.RemoveEmptyEntries))
                    isOurs |= IsSame(expected, signature);
            }
            if (!isOurs)
            {
                var digest = Regex.Match(header("{{headers.contentDigest}}") ?? "", @"{{webhooks.digestPattern}}");
                using (var sha = SHA256.Create())
                    if (digest.Success && digest.Groups[1].Value != Convert.ToBase64String(sha.ComputeHash(body)))
                        throw new WebhookException("{{reasons.alteredBody}}", "{{messages.alteredBody}}");
                throw new WebhookException("{{reasons.wrongSecret}}", "{{messages.wrongSecret}}");
            }
            try
            {
                var found = Json.Parse(body);
                if (found.IsObject) return found;
            }
            catch (FormatException)
            {
                // Said below.
            }
            throw new WebhookException("{{reasons.malformedBody}}", "{{messages.malformedBody}}");
        }

        static string HeaderOf(Func<string, string> header, string name)
        {
            var said = header(name);
            if (string.IsNullOrWhiteSpace(said)) throw new WebhookException("{{reasons.missingHeader}}", "the header " + name + " {{messages.isMissing}}");
            return said;
        }

        static byte[] KeyOf(string secret)
        {
            try
            {
                var key = Convert.FromBase64String(secret.StartsWith("{{webhooks.secretPrefix}}", StringComparison.Ordinal) ? secret.Substring({{webhooks.secretPrefixLength}}) : "!");
                if (key.Length > 0) return key;
            }
            catch (FormatException)
            {
                // Said below.
            }
            throw new WebhookException("{{reasons.wrongSecret}}", "{{messages.badSecret}}");
        }

        /// <summary>Takes the same time wherever the texts differ.</summary>
        static bool IsSame(string one, string other)
        {
            var difference = one.Length ^ other.Length;
            for (var index = 0; index < one.Length && index < other.Length; index++) difference |= one[index] ^ other[index];
            return difference == 0;
        }
    }

    /// <summary>A value of JSON. Numbers are exact: they are <c>decimal</c>, whether or not they have a decimal point.</summary>
    public sealed class Json : IEnumerable<Json>, IEquatable<Json>
    {
        const int MaxDepth = {{json.maxDepth}};
        /// A Dictionary, a List, a string, a Literal, a bool or null.
        readonly object value;

        Json(object value)
        {
            this.value = value;
        }

        /// <summary>Reads a text in UTF-8; throws FormatException where it is not JSON.</summary>
        public static Json Parse(byte[] utf8)
        {
            try
            {
                return new Parser(new UTF8Encoding(false, true).GetString(utf8)).Whole();
            }
            catch (DecoderFallbackException)
            {
                throw new FormatException("{{messages.notUtf8}}");
            }
        }

        /// <summary>The member of an object; throws KeyNotFoundException where it is absent.</summary>
        public Json this[string name]
        {
            get
            {
                Json found;
                if (Members.TryGetValue(name, out found)) return found;
                throw new KeyNotFoundException("there is no " + name);
            }
        }

        /// <summary>An entry of an array.</summary>
        public Json this[int index] { get { return List[index]; } }

        /// <summary>Whether an object has this member.</summary>
        public bool Has(string name)
        {
            return Members.ContainsKey(name);
        }

        public IReadOnlyDictionary<string, Json> Members { get { return As<Dictionary<string, Json>>("object"); } }
        public IList<Json> List { get { return As<List<Json>>("array"); } }
        public string Text { get { return As<string>("text"); } }
        /// <summary>Exact up to 28 digits; throws OverflowException beyond.</summary>
        public decimal Number { get { return As<Literal>("number").Exact(); } }
        /// <summary>A whole number; throws OverflowException where it has a fraction or is beyond a long.</summary>
        public long Integer
        {
            get
            {
                var number = Number;
                if (number != decimal.Truncate(number)) throw new OverflowException(number + " has a fraction");
                return (long)number;
            }
        }
        public bool Bool { get { return (bool)As<object>("true or false", value is bool); } }
        public bool IsNull { get { return value == null; } }
        internal bool IsText { get { return value is string; } }
        internal bool IsObject { get { return value is Dictionary<string, Json>; } }

        public IEnumerator<Json> GetEnumerator()
        {
            return List.GetEnumerator();
        }

        IEnumerator IEnumerable.GetEnumerator()
        {
            return GetEnumerator();
        }

        public bool Equals(Json other)
        {
            return other != null && ToString() == other.ToString();
        }

        public override bool Equals(object other)
        {
            return Equals(other as Json);
        }

        public override int GetHashCode()
        {
            return ToString().GetHashCode();
        }

        /// <summary>Its JSON.</summary>
        public override string ToString()
        {
            return TextOf(this);
        }

        T As<T>(string name, bool isIt = true) where T : class
        {
            var found = isIt ? value as T : null;
            if (found != null) return found;
            throw new InvalidCastException("it is no " + name + ": " + (value == null ? "null" : value.GetType().Name));
        }

        /// <summary>A number as it is written: it goes out as it came.</summary>
        sealed class Literal
        {
            internal readonly string Written;

            internal Literal(string written)
            {
                Written = written;
            }

            internal decimal Exact()
            {
                var parts = Written.Split('e', 'E');
                var point = parts[0].IndexOf('.');
                var exponent = 0;
                var isNear = parts.Length == 1 || int.TryParse(parts[1], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out exponent);
                var digits = parts[0].Replace("-", "").Replace(".", "").Trim('0').Length;
                var decimals = (point < 0 ? 0 : parts[0].Length - point - 1) - (long)exponent;
                if (!isNear || digits > 28 || decimals > 28) throw new OverflowException(Written + " is beyond a decimal");
                return decimal.Parse(Written, NumberStyles.Float, CultureInfo.InvariantCulture);
            }
        }

        internal static bool IsNumber(object value)
        {
            return value is int || value is long || value is decimal || value is double || value is float || value is short || value is byte
                || value is uint || value is ulong || value is ushort || value is sbyte;
        }

        /// <summary>The members of an object of JSON, a dictionary, or an anonymous object.</summary>
        internal static IEnumerable<KeyValuePair<string, object>> MembersOf(object source)
        {
            if (source is Json json) return json.Members.Select(each => new KeyValuePair<string, object>(each.Key, each.Value));
            if (source is IEnumerable<KeyValuePair<string, object>> members) return members;
            if (source is IDictionary map)
                return map.Keys.Cast<object>().Select(name => new KeyValuePair<string, object>((string)name, map[name]));
            if (!IsAnonymous(source)) throw new ArgumentException("give an anonymous object or a dictionary, and no " + source.GetType().FullName);
            return source.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Select(each => new KeyValuePair<string, object>(each.Name, each.GetValue(source, null)));
        }

        internal static string TextOf(object value)
        {
            var text = new StringBuilder();
            Write(value, text);
            return text.ToString();
        }

        static void Write(object value, StringBuilder text)
        {
            if (value is Json json) Write(json.value, text);
            else if (value is Literal literal) text.Append(literal.Written);
            else if (value == null) text.Append("null");
            else if (value is double || value is float)
            {
                var written = ((IFormattable)value).ToString("R", CultureInfo.InvariantCulture);
                if (!Regex.IsMatch(written, @"\A-?[0-9]")) throw new ArgumentException(written + " {{messages.cannotBeSent}} as JSON");
                text.Append(written);
            }
            else if (value is bool || IsNumber(value)) text.Append(ComandaClient.Text(value));
            else if (value is IDictionary || value is IEnumerable<KeyValuePair<string, object>> || IsAnonymous(value)) WriteAll(text, '{', '}', MembersOf(value), each =>
            {
                Quote(each.Key, text);
                text.Append(':');
                Write(each.Value, text);
            });
            else if (value is IEnumerable several && !(value is string)) WriteAll(text, '[', ']', several.Cast<object>(), each => Write(each, text));
            else Quote(ComandaClient.Text(value), text);
        }

        static void WriteAll<T>(StringBuilder text, char open, char close, IEnumerable<T> all, Action<T> write)
        {
            text.Append(open);
            var isFirst = true;
            foreach (var each in all)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                write(each);
            }
            text.Append(close);
        }

        /// Classes of your own are not written: what they hold besides would go out.
        static bool IsAnonymous(object value)
        {
            return value.GetType().IsDefined(typeof(System.Runtime.CompilerServices.CompilerGeneratedAttribute), false);
        }

        static void Quote(string text, StringBuilder into)
        {
            into.Append('"');
            foreach (var mark in text)
            {
                if (mark == '"' || mark == '\\') into.Append('\\').Append(mark);
                else if (mark < 0x20 || char.IsSurrogate(mark)) into.AppendFormat(CultureInfo.InvariantCulture, "\\u{0:x4}", (int)mark);
                else into.Append(mark);
            }
            into.Append('"');
        }

        sealed class Parser
        {
            static readonly Regex Numbers = new Regex(@"\G-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?");
            readonly string text;
            int at;

            internal Parser(string text)
            {
                this.text = text;
            }

            internal Json Whole()
            {
                var value = Value(0);
                Peek();
                if (at < text.Length) throw Fault();
                return value;
            }

            Json Value(int depth)
            {
                if (depth > MaxDepth) throw Fault();
                var mark = Peek();
                if (mark == '{') return new Json(Object(depth));
                if (mark == '[') return new Json(Array(depth));
                if (mark == '"') return new Json(String());
                if (Skip("true")) return new Json(true);
                if (Skip("false")) return new Json(false);
                if (Skip("null")) return new Json(null);
                var number = Numbers.Match(text, at);
                if (!number.Success) throw Fault();
                at += number.Length;
                return new Json(new Literal(number.Value));
            }

            Dictionary<string, Json> Object(int depth)
            {
                var members = new Dictionary<string, Json>();
                for (at++; !Skip("}"); Between('}'))
                {
                    if (Peek() != '"') throw Fault();
                    var name = String();
                    if (!Skip(":")) throw Fault();
                    members[name] = Value(depth + 1);
                }
                return members;
            }

            List<Json> Array(int depth)
            {
                var entries = new List<Json>();
                for (at++; !Skip("]"); Between(']')) entries.Add(Value(depth + 1));
                return entries;
            }

            /// Between two entries a comma, which nothing but an entry follows; at the end what closes.
            void Between(char close)
            {
                if (Peek() == close) return;
                if (!Skip(",") || Peek() == close) throw Fault();
            }

            string String()
            {
                var found = new StringBuilder();
                for (at++; ;)
                {
                    var mark = Next();
                    if (mark == '"') return found.ToString();
                    if (mark < 0x20) throw Fault();
                    found.Append(mark == '\\' ? Escaped(Next()) : mark);
                }
            }

            char Escaped(char mark)
            {
                var plain = "\"\\/bfnrt".IndexOf(mark);
                if (plain >= 0) return "\"\\/\b\f\n\r\t"[plain];
                var code = mark == 'u' && at + 4 <= text.Length ? text.Substring(at, 4) : "";
                if (!Regex.IsMatch(code, @"\A[0-9a-fA-F]{4}\z")) throw Fault();
                at += 4;
                return (char)int.Parse(code, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            }

            char Next()
            {
                if (at >= text.Length) throw Fault();
                return text[at++];
            }

            /// What comes after white space; 0 at the end.
            char Peek()
            {
                while (at < text.Length && " \t\r\n".IndexOf(text[at]) >= 0) at++;
                return at < text.Length ? text[at] : '\0';
            }

            bool Skip(string word)
            {
                Peek();
                if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) return false;
                at += word.Length;
                return true;
            }

            FormatException Fault()
            {
                return new FormatException("{{messages.noJsonAt}} " + at.ToString(CultureInfo.InvariantCulture));
            }
        }
    }

    static class Printable
    {
        /// Controls of C0 and C1, DEL, both separators, what turns the direction of writing, halves of surrogate pairs.
        static readonly Regex Controls = new Regex(
            @"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]");

        /// <summary>A text as a part of one line: characters that give a terminal an order or turn the writing are shown as their codes.</summary>
        internal static string Of(string text)
        {
            return Controls.Replace(text, mark => string.Format(CultureInfo.InvariantCulture, "\\u{0:x4}", (int)mark.Value[0]));
        }
    }
}
