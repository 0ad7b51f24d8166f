/** The command `rocketmq`: standalone, namesrv, broker; arguments, configuration files, signals, exit codes. */
export {}
