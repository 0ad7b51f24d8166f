import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.MessageSelector;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.RequestCallback;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.client.utils.MessageUtil;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.filter.expression.EvaluationContext;
import org.apache.rocketmq.filter.expression.Expression;
import org.apache.rocketmq.filter.expression.MQFilterException;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;

/** The official Java client as a program: `JavaPeer COMMAND key=value ...`; prints one line per event. */
public class JavaPeer {
    private static java.util.Map<String, String> options = new java.util.HashMap<>();

    private static String get(String key, String def) {
        return options.getOrDefault(key, def);
    }

    private static int num(String key, int def) {
        return Integer.parseInt(get(key, String.valueOf(def)));
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static double cpuSeconds() {
        com.sun.management.OperatingSystemMXBean os =
            (com.sun.management.OperatingSystemMXBean) java.lang.management.ManagementFactory.getOperatingSystemMXBean();
        return os.getProcessCpuTime() / 1e9;
    }

    public static void main(String[] args) throws Exception {
        for (int i = 1; i < args.length; i++) {
            int at = args[i].indexOf('=');
            options.put(args[i].substring(0, at), args[i].substring(at + 1));
        }
        switch (args[0]) {
            case "produce": produce(); break;
            case "produce-load": produceLoad(); break;
            case "transaction": transaction(); break;
            case "request": request(); break;
            case "reply": reply(); break;
            case "consume": consume(); break;
            case "consume-load": consumeLoad(); break;
            case "filter-eval": filterEval(); break;
            default: throw new IllegalArgumentException(args[0]);
        }
        System.exit(0);
    }

    private static DefaultMQProducer producer() throws Exception {
        DefaultMQProducer producer = new DefaultMQProducer(get("group", "java-producer"));
        producer.setNamesrvAddr(get("namesrv", ""));
        producer.setSendMsgTimeout(10000);
        if (options.containsKey("namespace")) {
            producer.setNamespace(get("namespace", ""));
        }
        if (options.containsKey("compressOver")) {
            producer.setCompressMsgBodyOverHowmuch(num("compressOver", 4096));
        }
        producer.start();
        return producer;
    }

    /** Sends `count` messages with bodies PREFIX-i, tags by turn from `tags`, key k-i, spread over the queues from 0 on with `spread=true`; prints `sent <id> <offsetId> <queue> <offset>`. */
    private static void produce() throws Exception {
        DefaultMQProducer producer = producer();
        int count = num("count", 10);
        String prefix = get("prefix", "java");
        String[] tags = get("tags", "a").split(",");
        int size = num("size", 0);
        boolean batch = get("batch", "false").equals("true");
        List<Message> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder body = new StringBuilder(prefix + "-" + i);
            while (body.length() < size) {
                body.append('.');
            }
            Message message = new Message(get("topic", "T"), tags[i % tags.length], "k-" + prefix + "-" + i,
                body.toString().getBytes(StandardCharsets.UTF_8));
            message.putUserProperty("origin", "java");
            message.putUserProperty("number", String.valueOf(i));
            if (options.containsKey("delayLevel")) {
                message.setDelayTimeLevel(num("delayLevel", 0));
            }
            if (batch) {
                list.add(message);
            } else {
                int index = i;
                SendResult result = get("spread", "false").equals("true")
                    ? producer.send(message, (queues, m, arg) -> queues.get(index % queues.size()), null)
                    : producer.send(message);
                say("sent " + result.getSendStatus() + " " + result.getMsgId() + " " + result.getOffsetMsgId() + " "
                    + result.getMessageQueue().getQueueId() + " " + result.getQueueOffset());
            }
        }
        if (batch) {
            SendResult result = producer.send(list);
            say("sent " + result.getSendStatus() + " " + result.getMsgId() + " " + result.getOffsetMsgId() + " "
                + result.getMessageQueue().getQueueId() + " " + result.getQueueOffset());
        }
        producer.shutdown();
        say("done");
    }

    /**
     * Sends `count` transactional messages PREFIX-i: even ones are committed, odd ones rolled back, but every fifth is left open
     * and decided likewise when asked. Prints `sent <status> <body>`, `check <body> <times>` and `sending done`; ends when
     * standard input does.
     */
    private static void transaction() throws Exception {
        TransactionMQProducer producer = new TransactionMQProducer(get("group", "java-transactions"));
        producer.setNamesrvAddr(get("namesrv", ""));
        producer.setTransactionListener(new TransactionListener() {
            private LocalTransactionState outcome(Message message) {
                String body = new String(message.getBody(), StandardCharsets.UTF_8);
                int number = Integer.parseInt(body.substring(body.lastIndexOf('-') + 1));
                return number % 2 == 0 ? LocalTransactionState.COMMIT_MESSAGE : LocalTransactionState.ROLLBACK_MESSAGE;
            }

            public LocalTransactionState executeLocalTransaction(Message message, Object index) {
                return (Integer) index % 5 == 0 ? LocalTransactionState.UNKNOW : outcome(message);
            }

            public LocalTransactionState checkLocalTransaction(MessageExt message) {
                say("check " + new String(message.getBody(), StandardCharsets.UTF_8) + " "
                    + message.getUserProperty("TRANSACTION_CHECK_TIMES") + " " + message.getTopic());
                return outcome(message);
            }
        });
        producer.start();
        String prefix = get("prefix", "tx");
        for (int i = 0; i < num("count", 20); i++) {
            Message message = new Message(get("topic", "T"), "a", "k-" + i,
                (prefix + "-" + i).getBytes(StandardCharsets.UTF_8));
            SendResult result = producer.sendMessageInTransaction(message, i);
            say("sent " + result.getSendStatus() + " " + prefix + "-" + i);
        }
        say("sending done");
        untilStop();
        producer.shutdown();
    }

    /**
     * Sends `count` requests one after the other; prints `reply <body>` or `failed <error>`. With a callback, because the call
     * that waits returns as soon as the request is sent (5.3.3).
     */
    private static void request() throws Exception {
        DefaultMQProducer producer = producer();
        for (int i = 0; i < num("count", 5); i++) {
            Message message = new Message(get("topic", "T"), "a", ("question-" + i).getBytes(StandardCharsets.UTF_8));
            CountDownLatch done = new CountDownLatch(1);
            producer.request(message, new RequestCallback() {
                public void onSuccess(Message answer) {
                    say("reply " + new String(answer.getBody(), StandardCharsets.UTF_8));
                    done.countDown();
                }

                public void onException(Throwable e) {
                    say("failed " + e);
                    done.countDown();
                }
            }, 20000);
            done.await();
        }
        producer.shutdown();
        say("done");
    }

    /** Replies to every request with `re: <body>`. */
    private static void reply() throws Exception {
        DefaultMQProducer producer = producer();
        DefaultMQPushConsumer consumer = consumer();
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            for (MessageExt m : messages) {
                try {
                    String body = "re: " + new String(m.getBody(), StandardCharsets.UTF_8);
                    Message answer = MessageUtil.createReplyMessage(m, body.getBytes(StandardCharsets.UTF_8));
                    say("replied " + producer.send(answer, 5000).getSendStatus());
                } catch (Exception e) {
                    say("failed " + e);
                }
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
        say("started");
        untilStop();
        consumer.shutdown();
        producer.shutdown();
    }

    private static void untilStop() throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line = in.readLine(); line != null && !line.equals("stop"); line = in.readLine()) {
        }
    }

    /** Asynchronous sends with `inFlight` outstanding; prints messages, seconds and CPU seconds of the measured part. */
    private static void produceLoad() throws Exception {
        DefaultMQProducer producer = producer();
        int warm = num("warm", 20000);
        int count = num("count", 100000);
        byte[] body = new byte[num("size", 128)];
        Semaphore inFlight = new Semaphore(num("inFlight", 256));
        AtomicInteger failed = new AtomicInteger();
        for (int round = 0; round < 2; round++) {
            int n = round == 0 ? warm : count;
            long start = System.nanoTime();
            double cpu = cpuSeconds();
            CountDownLatch done = new CountDownLatch(n);
            for (int i = 0; i < n; i++) {
                inFlight.acquire();
                producer.send(new Message(get("topic", "T"), "a", body), new SendCallback() {
                    public void onSuccess(SendResult result) {
                        inFlight.release();
                        done.countDown();
                    }

                    public void onException(Throwable e) {
                        failed.incrementAndGet();
                        inFlight.release();
                        done.countDown();
                    }
                });
            }
            done.await();
            if (round == 1) {
                say("result {\"messages\":" + n + ",\"seconds\":" + (System.nanoTime() - start) / 1e9 + ",\"cpuSeconds\":"
                    + (cpuSeconds() - cpu) + ",\"failed\":" + failed.get() + "}");
            }
        }
        producer.shutdown();
    }

    private static DefaultMQPushConsumer consumer() throws Exception {
        DefaultMQPushConsumer consumer = new DefaultMQPushConsumer(get("group", "java-consumer"));
        consumer.setNamesrvAddr(get("namesrv", ""));
        if (options.containsKey("namespace")) {
            consumer.setNamespace(get("namespace", ""));
        }
        consumer.setInstanceName(get("instance", "DEFAULT"));
        consumer.setConsumeFromWhere(ConsumeFromWhere.valueOf(get("from", "CONSUME_FROM_FIRST_OFFSET")));
        consumer.setMessageModel(MessageModel.valueOf(get("model", "CLUSTERING")));
        if (options.containsKey("sql")) {
            consumer.subscribe(get("topic", "T"), MessageSelector.bySql(get("sql", "")));
        } else {
            consumer.subscribe(get("topic", "T"), get("tags", "*"));
        }
        return consumer;
    }

    /** Prints `got <body> <queue> <queueOffset> <reconsumeTimes> <bornToNowMicros>` per message until standard input ends or says stop. */
    private static void consume() throws Exception {
        DefaultMQPushConsumer consumer = consumer();
        int failFirst = num("failFirst", 0);
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            for (MessageExt m : messages) {
                if (m.getReconsumeTimes() < failFirst) {
                    say("later " + new String(m.getBody(), StandardCharsets.UTF_8));
                    return ConsumeConcurrentlyStatus.RECONSUME_LATER;
                }
                say("got " + new String(m.getBody(), StandardCharsets.UTF_8) + " " + m.getQueueId() + " " + m.getQueueOffset() + " "
                    + m.getReconsumeTimes() + " " + (System.currentTimeMillis() - m.getBornTimestamp()) + " " + m.getMsgId());
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
        say("started");
        untilStop();
        consumer.shutdown();
        say("stopped");
    }

    /** Consumes `count` messages and prints messages, seconds and CPU seconds from the first to the last. */
    private static void consumeLoad() throws Exception {
        DefaultMQPushConsumer consumer = consumer();
        int warm = num("warm", 0);
        int count = num("count", 100000);
        AtomicLong seen = new AtomicLong();
        CountDownLatch done = new CountDownLatch(1);
        long[] start = new long[1];
        double[] cpu = new double[1];
        consumer.setPullBatchSize(num("pullBatchSize", 32));
        consumer.setConsumeMessageBatchMaxSize(num("batch", 1));
        consumer.registerMessageListener((MessageListenerConcurrently) (messages, context) -> {
            long n = seen.addAndGet(messages.size());
            if (n >= warm + 1 && n - messages.size() < warm + 1) {
                start[0] = System.nanoTime();
                cpu[0] = cpuSeconds();
            }
            if (n >= warm + count) {
                done.countDown();
            }
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        });
        consumer.start();
        done.await();
        say("result {\"messages\":" + count + ",\"seconds\":" + (System.nanoTime() - start[0]) / 1e9 + ",\"cpuSeconds\":"
            + (cpuSeconds() - cpu[0]) + "}");
        consumer.shutdown();
    }

    /**
     * Reads lines {"sql":"...","properties":{...}} until standard input ends; prints per line what the evaluator says:
     * REFUSED, ERROR, TRUE, FALSE or NULL.
     */
    private static void filterEval() throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(
            new java.io.InputStreamReader(System.in, StandardCharsets.UTF_8));
        StringBuilder out = new StringBuilder();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            com.alibaba.fastjson.JSONObject question = com.alibaba.fastjson.JSON.parseObject(line);
            com.alibaba.fastjson.JSONObject properties = question.getJSONObject("properties");
            out.append(verdict(question.getString("sql"), properties)).append('\n');
        }
        System.out.print(out);
        System.out.flush();
    }

    private static String verdict(String sql, com.alibaba.fastjson.JSONObject properties) {
        Expression expression;
        try {
            expression = org.apache.rocketmq.filter.FilterFactory.INSTANCE.get("SQL92").compile(sql);
        } catch (MQFilterException e) {
            return "REFUSED";
        }
        try {
            Object value = expression.evaluate(new EvaluationContext() {
                public Object get(String name) {
                    return properties.getString(name);
                }

                public java.util.Map<String, Object> keyValues() {
                    return properties;
                }
            });
            return String.valueOf(value).toUpperCase();
        } catch (Throwable e) {
            return "ERROR";
        }
    }
}
