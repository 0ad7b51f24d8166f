/** A name server and a broker inside this process: startRocketMQ() for tests, startStandalone() for the command. */
export {}
