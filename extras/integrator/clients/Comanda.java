// Comanda.java {{version}}: {{docs.title}}
// SPDX-License-Identifier: {{license}}. Needs Java 17 or newer, {{docs.nothingElse}} Put the line of your package here.

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * {{docs.theApi}}: orders, catalog, stock and events. Threads may share it.
 *
 * <pre>{@code
 * var comanda = new Comanda("{{exampleUrl}}", System.getenv("COMANDA_KEY"));
 * var order = comanda.get("/v2/orders/{id}", Map.of("id", orderId));
 * for (var product : comanda.each("/v2/products", Map.of("visible", true)))
 *     System.out.println(product.get("name").text() + " " + product.get("price").number());
 * }</pre>
 *
 * {{docs.paths}}. Parameters fill the braces of the path; the others become the query.
 * {{docs.repeats}}
 * {{docs.delays}}
 * A {@code {{headers.retryAfter}}} beyond {@code longestWait} is not waited for: the call throws its {@link ComandaException}.
 * {{docs.writes}}
 */
public final class Comanda {
    public static final String VERSION = "{{version}}";

    private static final Set<Integer> MAY_PASS = Set.of({{calls.repeatedStatuses}});

    private final String url;
    private final String key;
    private final Duration timeout;
    private final int tries;
    private final Duration longestWait;
    private final HttpClient http;

    /** With {{calls.timeoutSeconds}} seconds for an answer, {{calls.tries}} tries, and waits of at most {{calls.longestWaitSeconds}} seconds. */
    public Comanda(String url, String key) {
        this(url, key, Duration.ofSeconds({{calls.timeoutSeconds}}), {{calls.tries}}, Duration.ofSeconds({{calls.longestWaitSeconds}}));
    }

    public Comanda(String url, String key, Duration timeout, int tries, Duration longestWait) {
        if (!url.matches("https?://[^/].*"))
            throw new IllegalArgumentException("{{messages.badUrl}}");
        if (!key.matches("[\\x21-\\x7e]+")) throw new IllegalArgumentException("{{messages.badKey}}");
        this.url = url.replaceAll("/+$", "");
        this.key = key;
        this.timeout = timeout;
        this.tries = tries;
        this.longestWait = longestWait;
        // A redirect is not followed: the key is for this host alone.
        this.http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout)
            .followRedirects(HttpClient.Redirect.NEVER).build();
    }

    @Override
    public String toString() {
        return "Comanda(" + url + ")";
    }

    /** {{docs.gets}} */
    public Json get(String path) {
        return get(path, Map.of());
    }

    /** {{docs.gets}} */
    public Json get(String path, Map<String, ?> parameters) {
        return request("GET", path, parameters, null, null, Map.of()).data();
    }

    /** {{docs.posts}} */
    public Json post(String path, Map<String, ?> parameters, Object body) {
        return post(path, parameters, body, null);
    }

    /** {{docs.posts}} {{docs.ownKey}} */
    public Json post(String path, Map<String, ?> parameters, Object body, String idempotencyKey) {
        return request("POST", path, parameters, body, idempotencyKey, Map.of()).data();
    }

    /** {{docs.patches}} */
    public Json patch(String path, Map<String, ?> parameters, Object body) {
        return patch(path, parameters, body, null);
    }

    /** {{docs.patches}} */
    public Json patch(String path, Map<String, ?> parameters, Object body, String idempotencyKey) {
        return request("PATCH", path, parameters, body, idempotencyKey, Map.of()).data();
    }

    /** {{docs.deletes}} */
    public Json delete(String path, Map<String, ?> parameters) {
        return request("DELETE", path, parameters, null, null, Map.of()).data();
    }

    /**
     * {{docs.anyCall}} {@code body}, {@code idempotencyKey} may be null.
     *
     * @throws ComandaException the API refused
     * @throws NoAnswerException nothing answered
     */
    public Answer request(
            String method, String path, Map<String, ?> parameters, Object body, String idempotencyKey, Map<String, String> headers) {
        var sent = HttpRequest.newBuilder(URI.create(url + filled(path, parameters)))
            .header("Authorization", "Bearer " + key).header("Accept", "application/json").header("User-Agent", "Comanda.java/" + VERSION);
        headers.forEach(sent::setHeader);
        if (!Set.of("GET", "HEAD").contains(method)) {
            if (idempotencyKey == null) idempotencyKey = UUID.randomUUID().toString();
            sent.setHeader("{{headers.idempotencyKey}}", idempotencyKey);
        }
        if (body != null) sent.setHeader("Content-Type", "application/json");
        sent.method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(Json.textOf(body)));
        return send(sent.build(), idempotencyKey);
    }

    /** {{docs.each}} {@code order=asc}: {{docs.elseTwice}} */
    public Iterable<Json> each(String path, Map<String, ?> parameters) {
        return () -> new Reading(null, new Function<>() {
            private final Map<String, Object> asked = with(Map.of("limit", {{lists.pageLimit}}, "offset", 0), parameters);
            private long offset = Long.parseLong(text(asked.get("offset")));

            @Override
            public Page apply(String cursor) {
                asked.put("offset", offset);
                var body = request("GET", path, asked, null, null, Map.of()).body();
                // Large entries make a page shorter than was asked for: its limit shows that.
                offset += body.get("pagination").get("limit").integer();
                var isLast = offset >= body.get("pagination").get("total").integer();
                return new Page(body.get("data").list(), entry -> null, null, isLast, Duration.ZERO);
            }
        });
    }

    /**
     * What changed of {@code /v2/orders}, {@code /v2/products}, {@code /v2/stock} and others: {@code parameters} hold
     * {@code updated_since} the first time, and {@code cursor} from then on.
     */
    public Reading changes(String path, Map<String, ?> parameters) {
        var asked = with(Map.of("limit", {{lists.pageLimit}}), parameters);
        var first = asked.remove("cursor");
        var since = asked.remove("updated_since");
        if ((first == null) == (since == null))
            throw new IllegalArgumentException("{{messages.badPlace}}");
        return new Reading(first == null ? null : text(first), cursor -> {
            var place = cursor == null ? Map.of("updated_since", since) : Map.of("cursor", cursor);
            var body = request("GET", path, with(asked, place), null, null, Map.of()).body();
            var entries = body.get("data").list();
            var next = body.get("pagination").get("next").text();
            var isLast = entries.size() < body.get("pagination").get("limit").integer();
            // The cursor of a page counts when all of the page is done.
            var last = entries.isEmpty() ? null : entries.get(entries.size() - 1);
            return new Page(entries, entry -> entry == last ? next : cursor, next, isLast, Duration.ZERO);
        });
    }

    /**
     * The feed of events in its order, to its end: {@code after} an event, or {@code since} a moment, or all of {{lists.feedDays}} days;
     * {@code after=latest} is now. Keep the cursor of the reading, and give it as {@code after} the next time. An unknown cursor is a
     * {@link ComandaException} with the reason {@code {{reasons.unknownCursor}}}: begin with {@code since}. A cursor that a restore of the
     * service took has the reason {@code {{reasons.cursorNotRestored}}}: begin with {@code since} of the exception.
     */
    public Reading events(Map<String, ?> parameters) {
        return feed(parameters, null);
    }

    /** As {@link #events}, without an end: asks again every so often. */
    public Reading follow(Map<String, ?> parameters, Duration every) {
        return feed(parameters, every);
    }

    private Reading feed(Map<String, ?> parameters, Duration every) {
        var asked = with(Map.of("limit", {{lists.pageLimit}}), parameters);
        var first = asked.remove("after");
        var since = asked.remove("since");
        return new Reading(first == null ? null : text(first), after -> {
            var place = new LinkedHashMap<String, Object>();
            if (after != null) place.put("after", after);
            else if (since != null) place.put("since", since);
            var body = request("GET", "{{lists.eventsPath}}", with(asked, place), null, null, Map.of()).body();
            var entries = body.get("data").list();
            var end = entries.isEmpty() ? after : entries.get(entries.size() - 1).get("id").text();
            var next = body.get("pagination").has("next") ? body.get("pagination").get("next").text() : end;
            var isShort = entries.size() < body.get("pagination").get("limit").integer();
            return new Page(entries, event -> event.get("id").text(), next, isShort && every == null, isShort ? every : Duration.ZERO);
        });
    }

    private static Map<String, Object> with(Map<String, ?> some, Map<String, ?> others) {
        var all = new LinkedHashMap<String, Object>(some);
        all.putAll(others);
        return all;
    }

    private static final Pattern BRACES = Pattern.compile("\\{(\\w+)\\}");

    private static String filled(String path, Map<String, ?> parameters) {
        var left = new LinkedHashMap<String, Object>(parameters);
        var filled = BRACES.matcher(path).replaceAll(match -> {
            var value = left.remove(match.group(1));
            if (value == null) throw new IllegalArgumentException(path + " needs " + match.group(1));
            return escaped(text(value));
        });
        var query = left.entrySet().stream().filter(each -> each.getValue() != null)
            .map(each -> escaped(each.getKey()) + "=" + escaped(text(each.getValue()))).collect(Collectors.joining("&"));
        return filled + (query.isEmpty() ? "" : "?" + query);
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
    }

    /** A value as it is written in a query. */
    private static String text(Object value) {
        if (value instanceof Json json) return json.value instanceof String text ? text : json.toString();
        if (value instanceof Iterable<?> several) {
            var texts = new ArrayList<String>();
            for (var each : several) texts.add(text(each));
            return String.join(",", texts);
        }
        if (value instanceof Object[] several) return text(Arrays.asList(several));
        if (value instanceof BigDecimal number) return number.toPlainString();
        if (value instanceof ZonedDateTime moment) return moment.toOffsetDateTime().toString();
        if (value instanceof CharSequence || value instanceof Number || value instanceof Boolean || value instanceof Enum
            || value instanceof UUID || value instanceof Instant || value instanceof OffsetDateTime || value instanceof LocalDate)
            return value.toString();
        throw new IllegalArgumentException(value.getClass().getName()
            + " {{messages.cannotBeSent}}: a moment is an Instant, an OffsetDateTime or a ZonedDateTime");
    }

    private Answer send(HttpRequest request, String idempotencyKey) {
        for (var tried = 1; ; tried++) {
            var wait = Math.min(Math.pow(2, tried - 1), {{calls.longestDelaySeconds}}) * ThreadLocalRandom.current().nextDouble({{calls.leastDelayFactor}}, {{calls.mostDelayFactor}});
            try {
                var response = exchange(request);
                var status = response.statusCode();
                if (status == 304) return new Answer(status, response.headers(), null);
                if (status < 300) return new Answer(status, response.headers(), bodyOf(response.body()));
                var error = new ComandaException(status, response.headers(), response.body());
                if (error.retryAfter != null) wait = error.retryAfter;
                if (!MAY_PASS.contains(status) || tried >= tries || wait > longestWait.toMillis() / 1000.0) throw error;
            } catch (IOException fault) {
                if (tried >= tries) throw new NoAnswerException("{{messages.noAnswerFrom}} " + url + ": " + fault, fault, idempotencyKey);
            } catch (InterruptedException fault) {
                throw interrupted(fault, idempotencyKey);
            }
            try {
                Thread.sleep((long) Math.ceil(wait * 1000));
            } catch (InterruptedException fault) {
                throw interrupted(fault, idempotencyKey);
            }
        }
    }

    private NoAnswerException interrupted(InterruptedException fault, String idempotencyKey) {
        Thread.currentThread().interrupt();
        return new NoAnswerException("interrupted while " + url + " was asked", fault, idempotencyKey);
    }

    private HttpResponse<byte[]> exchange(HttpRequest request) throws IOException, InterruptedException {
        // The timeout of a request ends with the heads: this one covers the body as well.
        var coming = http.sendAsync(request, BodyHandlers.ofByteArray());
        try {
            return coming.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException fault) {
            throw new IOException("{{messages.notWithin}} " + timeout.toMillis() + " ms", fault);
        } catch (ExecutionException fault) {
            if (fault.getCause() instanceof IOException cause) throw cause;
            throw new IOException(fault.getCause());
        } finally {
            coming.cancel(true);
        }
    }

    private static Json bodyOf(byte[] bytes) throws IOException {
        try {
            return bytes.length == 0 ? null : Json.parse(bytes);
        } catch (IllegalArgumentException fault) {
            throw new IOException("{{messages.answerIsNotJson}}: " + fault.getMessage());
        }
    }

    /** {{docs.answer}} {@code body} is all of it, parsed: {@code data}, and {@code pagination} for a list; null for a 304. */
    public record Answer(int status, HttpHeaders headers, Json body) {
        /** {{docs.data}} */
        public Json data() {
            return body == null ? null : body.get("data");
        }

        /** {{docs.isReplay}} */
        public boolean isReplay() {
            return headers.firstValue("{{headers.idempotencyReplayed}}").filter("true"::equals).isPresent();
        }
    }

    private record Page(List<Json> entries, Function<Json, String> cursorOf, String next, boolean isLast, Duration pause) {}

    /** Entries one after the other, and the cursor behind them. */
    public static final class Reading implements Iterator<Json>, Iterable<Json> {
        private final Function<String, Page> read;
        private String cursor;
        private Page page;
        private Iterator<Json> left = Collections.emptyIterator();

        private Reading(String cursor, Function<String, Page> read) {
            this.cursor = cursor;
            this.read = read;
        }

        /** {{docs.cursor}} */
        public String cursor() {
            return cursor;
        }

        @Override
        public boolean hasNext() {
            while (!left.hasNext()) {
                if (page != null) {
                    cursor = page.next;
                    if (page.isLast) return false;
                    pause(page.pause);
                }
                page = read.apply(cursor);
                left = page.entries.iterator();
                if (!left.hasNext()) cursor = page.next;
            }
            return true;
        }

        @Override
        public Json next() {
            if (!hasNext()) throw new NoSuchElementException();
            var entry = left.next();
            cursor = page.cursorOf.apply(entry);
            return entry;
        }

        @Override
        public Iterator<Json> iterator() {
            return this;
        }

        private static void pause(Duration time) {
            try {
                Thread.sleep(time.toMillis());
            } catch (InterruptedException fault) {
                Thread.currentThread().interrupt();
                throw new NoAnswerException("interrupted between two readings of the feed", fault, null);
            }
        }
    }

    /** {{docs.fieldFault}}: its path, as in {@code items[0].quantity}, {{docs.whole}}, and a message for a person. */
    public record FieldFault(String path, String message) {}

    /** The API refused. Decide by {@code status}, then {@code code}, then {@code reason}; {@code /docs/errors} explains each. */
    public static final class ComandaException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        public final int status;
        public final String code;
        /** {{docs.reason}} */
        public final String reason;
        /** {{docs.detail}} {@code getMessage()} is fit for a terminal. */
        public final String detail;
        /** {{docs.fields}} */
        public final transient List<FieldFault> fields;
        /** {{docs.requestId}} */
        public final String requestId;
        /** {{docs.retryAfter}}; else null. */
        public final Double retryAfter;
        /** {{docs.since}}; else null. */
        public final String since;
        /** {{docs.location}}; else null. */
        public final String location;

        private ComandaException(int status, HttpHeaders headers, byte[] body) {
            this(status, headers, errorIn(body));
        }

        private ComandaException(int status, HttpHeaders headers, Map<String, String> error) {
            super(printable(status + " " + headers.firstValue("{{headers.errorReason}}").orElse(error.getOrDefault("code", "")) + ": "
                + error.getOrDefault("message", "{{messages.answerWas}} " + status) + " (request " + requestOf(headers, error) + ")"));
            this.status = status;
            this.code = error.getOrDefault("code", "");
            this.reason = headers.firstValue("{{headers.errorReason}}").orElse("");
            this.detail = error.getOrDefault("message", "{{messages.answerWas}} " + status);
            this.fields = code.equals("{{reasons.validationError}}") ? fieldsIn(detail) : List.of();
            this.requestId = requestOf(headers, error);
            this.retryAfter = retryAfterOf(headers);
            this.since = headers.firstValue("{{headers.errorSince}}").orElse(null);
            this.location = headers.firstValue("Location").orElse(null);
        }

        private static String requestOf(HttpHeaders headers, Map<String, String> error) {
            return error.getOrDefault("request_id", headers.firstValue("{{headers.requestId}}").orElse(""));
        }

        private static Map<String, String> errorIn(byte[] body) {
            var found = new LinkedHashMap<String, String>();
            try {
                Json.parse(body).get("error").members().forEach((name, value) -> found.put(name, text(value)));
            } catch (IllegalArgumentException | NoSuchElementException fault) {
                // Something in between wrote it.
                found.clear();
            }
            return found;
        }

        private static List<FieldFault> fieldsIn(String message) {
            var named = Pattern.compile("([A-Za-z_][\\w.\\[\\]-]*): (.*)", Pattern.DOTALL);
            var faults = new ArrayList<FieldFault>();
            for (var part : message.replaceAll("; and \\d+ more$", "").split("; ")) {
                var match = named.matcher(part);
                if (match.matches()) faults.add(new FieldFault(match.group(1), match.group(2)));
                else if (faults.isEmpty()) faults.add(new FieldFault("", part));
                else {
                    // A semicolon of the sentence itself.
                    var before = faults.remove(faults.size() - 1);
                    faults.add(new FieldFault(before.path, before.message + "; " + part));
                }
            }
            return List.copyOf(faults);
        }

        private static Double retryAfterOf(HttpHeaders headers) {
            var said = headers.firstValue("{{headers.retryAfter}}").orElse("").strip();
            if (said.matches("[0-9]+")) return Double.valueOf(said);
            try {
                var moment = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(said));
                return Math.max(0, Duration.between(Instant.now(), moment).toMillis() / 1000.0);
            } catch (DateTimeException none) {
                return null;
            }
        }
    }

    /** {{docs.noAnswer}} {@code idempotencyKey}. */
    public static final class NoAnswerException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        /** Of a write; null for a read. */
        public final String idempotencyKey;

        private NoAnswerException(String message, Exception cause, String idempotencyKey) {
            super(printable(message), cause);
            this.idempotencyKey = idempotencyKey;
        }
    }

    /** {{docs.webhookError}} */
    public static final class WebhookException extends RuntimeException {
        private static final long serialVersionUID = 1L;
        /**
         * {@code {{reasons.missingHeader}}}, {@code {{reasons.malformedHeader}}}, {@code {{reasons.oldTimestamp}}}, {@code {{reasons.futureTimestamp}}}, {@code {{reasons.alteredBody}}},
         * {@code {{reasons.wrongSecret}}} or {@code {{reasons.malformedBody}}}.
         */
        public final String reason;

        private WebhookException(String reason, String message) {
            super(printable(message));
            this.reason = reason;
        }
    }

    /**
     * {{docs.verifies}}. Its timestamp may be {{webhooks.toleranceSeconds}} seconds off.
     *
     * @param secret the secret of the endpoint ({@code {{webhooks.secretPrefix}}...})
     * @param header gives a header of the request by its name, in any case, or null: {@code request::getHeader}
     * @param body the {{docs.received}}
     * @throws WebhookException it is not to be trusted
     */
    public static Json verifyWebhook(String secret, Function<String, String> header, byte[] body) {
        return verifyWebhook(List.of(secret), header, body, Duration.ofSeconds({{webhooks.toleranceSeconds}}), Instant.now());
    }

    /** With several secrets, as around a rotation, and a tolerance and a clock of your own. */
    public static Json verifyWebhook(
            List<String> secrets, Function<String, String> header, byte[] body, Duration tolerance, Instant now) {
        var id = headerOf(header, "{{headers.webhookId}}");
        var timestamp = headerOf(header, "{{headers.webhookTimestamp}}");
        var signatures = headerOf(header, "{{headers.webhookSignature}}");
        if (!timestamp.matches("[0-9]{1,{{webhooks.timestampDigits}}}"))
            throw new WebhookException("{{reasons.malformedHeader}}", "{{messages.malformedTimestamp}}");
        var age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now);
        if (age.compareTo(tolerance) > 0)
            throw new WebhookException("{{reasons.oldTimestamp}}", "{{messages.timestampIs}} " + age.toSeconds() + " {{messages.secondsOld}}");
        if (age.negated().compareTo(tolerance) > 0)
            throw new WebhookException("{{reasons.futureTimestamp}}", "{{messages.timestampIs}} " + -age.toSeconds() + " {{messages.secondsAhead}}");
        var isOurs = false;
        for (var secret : secrets) {
            var expected = ("{{webhooks.signaturePrefix}}" + signed(secret, id + "." + timestamp + ".", body)).getBytes(StandardCharsets.UTF_8);
            // Every pair is compared: the time taken shows nothing.
            for (var signature : signatures.strip().split("\\s+"))
                isOurs |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
        }
        if (!isOurs) {
            var digest = Pattern.compile("{{webhooks.digestPattern}}").matcher(said(header, "{{headers.contentDigest}}"));
            if (digest.find() && !digest.group(1).equals(sha256(body)))
                throw new WebhookException("{{reasons.alteredBody}}", "{{messages.alteredBody}}");
            throw new WebhookException("{{reasons.wrongSecret}}", "{{messages.wrongSecret}}");
        }
        try {
            var event = Json.parse(body);
            if (event.value instanceof Map) return event;
        } catch (IllegalArgumentException fault) {
            // Said below.
        }
        throw new WebhookException("{{reasons.malformedBody}}", "{{messages.malformedBody}}");
    }

    private static String said(Function<String, String> header, String name) {
        var said = header.apply(name);
        return said == null ? "" : said;
    }

    private static String headerOf(Function<String, String> header, String name) {
        var said = said(header, name);
        if (said.isBlank()) throw new WebhookException("{{reasons.missingHeader}}", "the header " + name + " {{messages.isMissing}}");
        return said;
    }

    private static String signed(String secret, String start, byte[] body) {
        try {
            var mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.startsWith("{{webhooks.secretPrefix}}") ? secret.substring({{webhooks.secretPrefixLength}}) : "!"), "HmacSHA256"));
            mac.update(start.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (IllegalArgumentException fault) {
            throw new WebhookException("{{reasons.wrongSecret}}", "{{messages.badSecret}}");
        } catch (GeneralSecurityException fault) {
            throw new IllegalStateException(fault);
        }
    }

    private static String sha256(byte[] body) {
        try {
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (GeneralSecurityException fault) {
            throw new IllegalStateException(fault);
        }
    }

    /** Controls of C0 and C1, DEL, both separators, what turns the direction of writing, halves of surrogate pairs. */
    private static final Pattern CONTROLS = Pattern.compile(
        "[\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]");

    /** A text as a part of one line: characters that give a terminal an order or turn the writing are shown as their codes. */
    private static String printable(String text) {
        return CONTROLS.matcher(text).replaceAll(mark -> String.format("\\\\u%04x", (int) mark.group().charAt(0)));
    }

    /** A value of JSON. Numbers are exact: they are {@link BigDecimal}, whether or not they have a decimal point. */
    public static final class Json implements Iterable<Json> {
        private static final int MAX_DEPTH = {{json.maxDepth}};
        /** A Map, a List, a String, a BigDecimal, a Boolean or null. */
        private final Object value;

        private Json(Object value) {
            this.value = value;
        }

        /** Reads a text in UTF-8; throws IllegalArgumentException where it is not JSON. */
        public static Json parse(byte[] utf8) {
            try {
                return new Parser(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString()).whole();
            } catch (CharacterCodingException fault) {
                throw new IllegalArgumentException("{{messages.notUtf8}}");
            }
        }

        /** The member of an object; throws NoSuchElementException where it is absent. */
        public Json get(String name) {
            if (!has(name)) throw new NoSuchElementException("there is no " + name);
            return members().get(name);
        }

        /** Whether an object has this member. */
        public boolean has(String name) {
            return members().containsKey(name);
        }

        /** An entry of an array. */
        public Json get(int index) {
            return list().get(index);
        }

        @SuppressWarnings("unchecked")
        public Map<String, Json> members() {
            return Collections.unmodifiableMap((Map<String, Json>) as(Map.class));
        }

        @SuppressWarnings("unchecked")
        public List<Json> list() {
            return Collections.unmodifiableList((List<Json>) as(List.class));
        }

        public String text() {
            return as(String.class);
        }

        public BigDecimal number() {
            return as(BigDecimal.class);
        }

        /** A whole number; throws ArithmeticException where it has a fraction or is beyond a long. */
        public long integer() {
            return number().longValueExact();
        }

        public boolean bool() {
            return as(Boolean.class);
        }

        public boolean isNull() {
            return value == null;
        }

        @Override
        public Iterator<Json> iterator() {
            return list().iterator();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Json json && toString().equals(json.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        /** Its JSON. */
        @Override
        public String toString() {
            return textOf(this);
        }

        private <T> T as(Class<T> type) {
            if (type.isInstance(value)) return type.cast(value);
            var found = value == null ? "null" : value.getClass().getSimpleName();
            throw new NoSuchElementException("it is no " + type.getSimpleName() + " but " + found);
        }

        private static String textOf(Object value) {
            var text = new StringBuilder();
            write(value, text);
            return text.toString();
        }

        private static void write(Object value, StringBuilder text) {
            if (value instanceof Json json) write(json.value, text);
            else if (value == null || value instanceof Boolean || value instanceof BigDecimal || value instanceof BigInteger
                || value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) text.append(value);
            else if (value instanceof Double || value instanceof Float) {
                if (!Double.isFinite(((Number) value).doubleValue())) throw new IllegalArgumentException(value + " {{messages.cannotBeSent}} as JSON");
                text.append(value);
            } else if (value instanceof Map<?, ?> map) {
                var before = "{";
                for (var each : map.entrySet()) {
                    quote(String.valueOf(each.getKey()), text.append(before));
                    write(each.getValue(), text.append(':'));
                    before = ",";
                }
                text.append(map.isEmpty() ? "{}" : "}");
            } else if (value instanceof Iterable<?> several) {
                var before = "";
                text.append('[');
                for (var each : several) {
                    write(each, text.append(before));
                    before = ",";
                }
                text.append(']');
            } else if (value instanceof Object[] several) write(Arrays.asList(several), text);
            else quote(Comanda.text(value), text);
        }

        private static void quote(String text, StringBuilder into) {
            into.append('"');
            for (var mark : text.toCharArray()) {
                if (mark == '"' || mark == '\\') into.append('\\').append(mark);
                else if (mark < 0x20 || Character.isSurrogate(mark)) into.append(String.format("\\u%04x", (int) mark));
                else into.append(mark);
            }
            into.append('"');
        }

        private static final class Parser {
            private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
            private final String text;
            private int at;

            private Parser(String text) {
                this.text = text;
            }

            private Json whole() {
                var value = value(0);
                peek();
                if (at < text.length()) throw fault();
                return value;
            }

            private Json value(int depth) {
                if (depth > MAX_DEPTH) throw fault();
                var mark = peek();
                if (mark == '{') return new Json(members(depth));
                if (mark == '[') return new Json(entries(depth));
                if (mark == '"') return new Json(string());
                if (skip("true")) return new Json(true);
                if (skip("false")) return new Json(false);
                if (skip("null")) return new Json(null);
                var number = NUMBER.matcher(text).region(at, text.length());
                if (!number.lookingAt()) throw fault();
                at = number.end();
                try {
                    return new Json(new BigDecimal(number.group()));
                } catch (NumberFormatException beyond) {
                    throw fault();
                }
            }

            private Map<String, Json> members(int depth) {
                var members = new LinkedHashMap<String, Json>();
                for (at++; !skip("}"); expectUnless(',', '}')) {
                    if (peek() != '"') throw fault();
                    var name = string();
                    if (!skip(":")) throw fault();
                    members.put(name, value(depth + 1));
                }
                return members;
            }

            private List<Json> entries(int depth) {
                var entries = new ArrayList<Json>();
                for (at++; !skip("]"); expectUnless(',', ']')) entries.add(value(depth + 1));
                return entries;
            }

            /** Between two entries a comma, which nothing but an entry follows; at the end what closes. */
            private void expectUnless(char comma, char close) {
                if (peek() == close) return;
                if (!skip(String.valueOf(comma)) || peek() == close) throw fault();
            }

            private String string() {
                var string = new StringBuilder();
                for (at++; ; ) {
                    var mark = next();
                    if (mark == '"') return string.toString();
                    if (mark < 0x20) throw fault();
                    string.append(mark == '\\' ? escaped(next()) : mark);
                }
            }

            private char escaped(char mark) {
                var plain = "\"\\/bfnrt".indexOf(mark);
                if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
                if (mark != 'u' || at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) throw fault();
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            }

            private char next() {
                if (at >= text.length()) throw fault();
                return text.charAt(at++);
            }

            /** What comes after white space; 0 at the end. */
            private char peek() {
                while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
                return at < text.length() ? text.charAt(at) : 0;
            }

            private boolean skip(String word) {
                peek();
                if (!text.startsWith(word, at)) return false;
                at += word.length();
                return true;
            }

            private IllegalArgumentException fault() {
                return new IllegalArgumentException("{{messages.noJsonAt}} " + at);
            }
        }
    }
}
