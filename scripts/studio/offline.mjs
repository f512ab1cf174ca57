// Loaded into Prisma Studio before its own code: the page it serves may talk to nobody but its own server, though
// it would announce itself to its makers. Every answer of the process carries the policy.
import { ServerResponse } from 'node:http';

const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function withPolicy(...head) {
  this.setHeader('Content-Security-Policy', policy);
  this.setHeader('Referrer-Policy', 'no-referrer');
  return writeHead.apply(this, head);
};
