/** What a message, queue, topic and group are: pure values and their byte layouts. */
export {}
