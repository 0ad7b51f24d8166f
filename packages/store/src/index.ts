/** The log store: commit log, consume queues, key index, recovery; files only, no sockets, no protocol. */
export {}
