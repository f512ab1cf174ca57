import { spawn } from 'node:child_process';

/**
 * Reports to systemd that the process serves, where a unit of `Type=notify` started it (it sets `NOTIFY_SOCKET`). Node
 * has no datagram sockets of the local kind, so systemd's own program sends the word. A failure is given to `warn`: the
 * process serves even so, and the unit stays "activating".
 */
export function reportServing(warn: (error: Error) => void): void {
  const { NOTIFY_SOCKET, PATH } = process.env;
  if (NOTIFY_SOCKET === undefined) return;
  const child = spawn('systemd-notify', ['--ready'], {
    env: { NOTIFY_SOCKET, PATH },
    stdio: 'ignore',
  });
  child.on('error', warn);
  child.on('exit', (code) => {
    if (code !== 0) warn(new Error(`systemd-notify ended with exit code ${code}`));
  });
}
