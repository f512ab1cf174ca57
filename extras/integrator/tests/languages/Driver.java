import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Does with Comanda.java what each line of the input says, and answers a line. */
final class Driver {
    private static final Map<String, Comanda> clients = new LinkedHashMap<>();

    public static void main(String[] args) throws Exception {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            var command = Comanda.Json.parse(line.getBytes(StandardCharsets.UTF_8));
            System.out.write((wrapped(answer(command)) + "\n").getBytes(StandardCharsets.UTF_8));
            System.out.flush();
        }
    }

    private static Map<String, ?> answer(Comanda.Json command) throws Exception {
        try {
            return done(command);
        } catch (Comanda.ComandaException error) {
            var fields = error.fields.stream().map(each -> List.of(each.path(), each.message())).toList();
            return Map.of("error", known("kind", "refused", "status", error.status, "code", error.code, "reason", error.reason,
                "detail", error.detail, "fields", fields, "request_id", error.requestId, "retry_after", error.retryAfter,
                "since", error.since, "location", error.location, "text", error.getMessage()));
        } catch (Comanda.NoAnswerException error) {
            return Map.of("error", known("kind", "no_answer", "idempotency_key", error.idempotencyKey, "text", error.toString() + error.getCause()));
        } catch (Comanda.WebhookException error) {
            return Map.of("error", known("kind", "webhook", "reason", error.reason, "text", error.getMessage()));
        } catch (IllegalArgumentException error) {
            return Map.of("error", known("kind", "argument", "text", error.toString()));
        }
    }

    private static Map<String, ?> done(Comanda.Json command) throws Exception {
        var what = command.get("do").text();
        if (what.equals("verify")) return verified(command);
        var comanda = clientOf(command);
        var path = command.has("path") ? command.get("path").text() : null;
        @SuppressWarnings("unchecked")
        var parameters = command.has("parameters") ? (Map<String, ?>) plain(command.get("parameters")) : Map.<String, Object>of();
        switch (what) {
            case "show":
                return Map.of("text", comanda.toString());
            case "threads": {
                var got = IntStream.range(0, 8).parallel().mapToObj(n -> comanda.get(path)).collect(Collectors.toList());
                return Map.of("entries", got);
            }
            case "each": {
                var entries = new ArrayList<Comanda.Json>();
                comanda.each(path, parameters).forEach(entries::add);
                return Map.of("entries", entries);
            }
            case "changes":
                return read(command, comanda.changes(path, parameters));
            case "events":
                return read(command, command.has("follow")
                    ? comanda.follow(parameters, Duration.ofMillis(50)) : comanda.events(parameters));
            default: {
                var headers = new LinkedHashMap<String, String>();
                if (command.has("headers")) command.get("headers").members().forEach((name, value) -> headers.put(name, value.text()));
                var key = command.has("idempotency_key") ? command.get("idempotency_key").text() : null;
                var body = command.has("body") ? plain(command.get("body")) : null;
                var answer = comanda.request(command.get("method").text(), path, parameters, body, key, headers);
                return known("status", answer.status(), "data", answer.data(), "is_replay", answer.isReplay(),
                    "etag", answer.headers().firstValue("ETag").orElse(null));
            }
        }
    }

    private static Map<String, ?> read(Comanda.Json command, Comanda.Reading reading) {
        var entries = new ArrayList<Comanda.Json>();
        var take = command.has("take") ? command.get("take").integer() : Long.MAX_VALUE;
        while (entries.size() < take && reading.hasNext()) entries.add(reading.next());
        return known("entries", entries, "cursor", reading.cursor());
    }

    private static Map<String, ?> verified(Comanda.Json command) {
        var headers = command.get("headers").members();
        var secrets = command.get("secrets").list().stream().map(Comanda.Json::text).toList();
        var now = Instant.ofEpochSecond(command.get("now").integer());
        var body = Base64.getDecoder().decode(command.get("body").text());
        return Map.of("event", Comanda.verifyWebhook(
            secrets, name -> headers.containsKey(name) ? headers.get(name).text() : null, body, Duration.ofSeconds(300), now));
    }

    private static Comanda clientOf(Comanda.Json command) {
        var name = command.get("client").toString();
        return clients.computeIfAbsent(name, none -> {
            var client = command.get("client");
            var timeout = client.has("timeout_ms") ? client.get("timeout_ms").integer() : 30_000;
            var tries = client.has("tries") ? (int) client.get("tries").integer() : 5;
            return new Comanda(client.get("url").text(), client.get("key").text(), Duration.ofMillis(timeout), tries, Duration.ofSeconds(90));
        });
    }

    /** Values of Java's own, as a program has them. */
    private static Object plain(Comanda.Json json) {
        var text = json.toString();
        if (text.startsWith("[")) return json.list().stream().map(Driver::plain).toList();
        if (!text.startsWith("{")) return text.startsWith("\"") ? json.text() : json;
        if (json.has("$decimal")) return new BigDecimal(json.get("$decimal").text());
        if (json.has("$moment")) return Instant.parse(json.get("$moment").text());
        if (json.has("$date")) return LocalDate.parse(json.get("$date").text());
        if (json.has("$object")) return Locale.ROOT;
        var members = new LinkedHashMap<String, Object>();
        json.members().forEach((name, value) -> members.put(name, value.isNull() ? null : plain(value)));
        return members;
    }

    private static Map<String, Object> known(Object... pairs) {
        var known = new LinkedHashMap<String, Object>();
        for (var index = 0; index < pairs.length; index += 2)
            if (pairs[index + 1] != null) known.put((String) pairs[index], pairs[index + 1]);
        return known;
    }

    /** JSON of a Map: what a request would send. */
    private static String wrapped(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(each -> quoted((String) each.getKey()) + ":" + wrapped(each.getValue()))
                .collect(Collectors.joining(",", "{", "}"));
        if (value instanceof List<?> list) return list.stream().map(Driver::wrapped).collect(Collectors.joining(",", "[", "]"));
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    private static String quoted(String text) {
        return text.chars().mapToObj(mark -> String.format("\\u%04x", mark)).collect(Collectors.joining("", "\"", "\""));
    }
}
