-- Where the pid of a process means something, so that a worker that was killed is known to be dead at once by the next
-- one on its machine. Nullable: workers of the version before write rows without it.
-- AlterTable
ALTER TABLE "process_heartbeats" ADD COLUMN "pid_space" TEXT COLLATE "C";
