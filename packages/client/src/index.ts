/** Producers and consumers for any RocketMQ 4.x or 5.x cluster. */
export {}
