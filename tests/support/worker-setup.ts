// A test process whose vitest was killed would go on by itself. (process.exit throws inside of vitest.)
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
