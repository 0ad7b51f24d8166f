// The official Go client as a program: `peer produce|consume key=value ...`; prints one line per event.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/apache/rocketmq-client-go/v2"
	"github.com/apache/rocketmq-client-go/v2/consumer"
	"github.com/apache/rocketmq-client-go/v2/primitive"
	"github.com/apache/rocketmq-client-go/v2/producer"
	"github.com/apache/rocketmq-client-go/v2/rlog"
)

func main() {
	rlog.SetLogLevel("error")
	options := map[string]string{"topic": "T", "group": "go-group", "prefix": "go", "count": "10", "tags": "*"}
	for _, argument := range os.Args[2:] {
		at := strings.Index(argument, "=")
		options[argument[:at]] = argument[at+1:]
	}
	var err error
	switch os.Args[1] {
	case "produce":
		err = produce(options)
	case "consume":
		err = consume(options)
	default:
		err = fmt.Errorf("unknown command %s", os.Args[1])
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

func produce(options map[string]string) error {
	p, err := rocketmq.NewProducer(
		producer.WithNameServer(primitive.NamesrvAddr{options["namesrv"]}),
		producer.WithGroupName(options["group"]),
		producer.WithRetry(2))
	if err != nil {
		return err
	}
	if err := p.Start(); err != nil {
		return err
	}
	count, _ := strconv.Atoi(options["count"])
	for i := 0; i < count; i++ {
		message := primitive.NewMessage(options["topic"], []byte(fmt.Sprintf("%s-%d", options["prefix"], i)))
		message.WithTag("a").WithKeys([]string{fmt.Sprintf("k-%s-%d", options["prefix"], i)})
		result, err := p.SendSync(context.Background(), message)
		if err != nil {
			return err
		}
		fmt.Println("sent", result.Status, result.MsgID, result.OffsetMsgID, result.MessageQueue.QueueId, result.QueueOffset)
	}
	fmt.Println("done")
	return p.Shutdown()
}

func consume(options map[string]string) error {
	c, err := rocketmq.NewPushConsumer(
		consumer.WithNameServer(primitive.NamesrvAddr{options["namesrv"]}),
		consumer.WithGroupName(options["group"]),
		consumer.WithConsumeFromWhere(consumer.ConsumeFromFirstOffset))
	if err != nil {
		return err
	}
	selector := consumer.MessageSelector{Type: consumer.TAG, Expression: options["tags"]}
	err = c.Subscribe(options["topic"], selector, func(_ context.Context, messages ...*primitive.MessageExt) (consumer.ConsumeResult, error) {
		for _, m := range messages {
			fmt.Println("got", string(m.Body), m.Queue.QueueId, m.QueueOffset, m.ReconsumeTimes)
		}
		return consumer.ConsumeSuccess, nil
	})
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	fmt.Println("started")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() && in.Text() != "stop" {
	}
	if err := c.Shutdown(); err != nil {
		return err
	}
	fmt.Println("stopped")
	return nil
}
