// Loaded into Prisma Studio before its own code; it changes that one process and nothing else.
import { ServerResponse } from 'node:http';

// The page may talk to its own server alone: left to itself it announces every start to its makers.
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const { writeHead } = ServerResponse.prototype;
ServerResponse.prototype.writeHead = function withPolicy(...head) {
  this.setHeader('Content-Security-Policy', policy);
  this.setHeader('Referrer-Policy', 'no-referrer');
  return writeHead.apply(this, head);
};

// Studio sends the database's refusal as JSON, which leaves out an error's message; a person needs to read it.
Object.defineProperty(Error.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value() {
    return { ...this, name: this.name, message: this.message };
  },
});
