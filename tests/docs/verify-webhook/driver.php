<?php
[, $folder, $secret, $id, $timestamp, $signature, $now] = $argv;
require "$folder/verify.php";
$body = stream_get_contents(STDIN);
echo verify($secret, $id, $timestamp, $signature, $body, (int) $now) ? 'true' : 'false', "\n";
