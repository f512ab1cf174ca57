/** Connections to the database of the thread for large bodies, and so calls that it performs at a time. */
export const largeConnections = 3;
