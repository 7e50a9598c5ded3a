//! Deployments that programs and templates of clouds describe.

use super::check;
use crate::testing::contracts;

#[test]
fn containers_of_terraform_are_workloads() {
    check(
        "//- /main.tf\nresource \"aws_ecs_task_definition\" \"cart\" {\n  container_definitions = jsonencode([{\n    name = \"cart\"\n    image = \"${var.registry}/cart:1\"\n    environment = [\n      { name = \"PAY_URL\", value = \"http://pay:80\" },\n      { name = \"DB_PASSWORD\", value = \"http://x:1\" },\n    ]\n  }])\n}\nresource \"aws_lambda_function\" \"mail\" {\n  environment {\n    variables = { CART_URL = \"http://cart\" }\n  }\n}\n",
        &[
            "+ cart {env:var.registry}/cart:1 = main.tf",
            "- cart/PAY_URL http://pay:80 by main.tf:6 0.95",
            "- mail/CART_URL http://cart by main.tf:13 0.95",
        ],
    );
}

#[test]
fn templates_of_openshift_have_objects() {
    let objects = "- apiVersion: apps.openshift.io/v1\n  kind: DeploymentConfig\n  metadata:\n    name: cart\n  spec:\n    template:\n      spec:\n        containers:\n        - name: server\n          image: acme/cart\n";
    let template = "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: shop}";
    check(&format!("//- /t.yaml\n{template}\nobjects:\n{objects}"), &["+ cart acme/cart = t.yaml"]);
    check(&format!("//- /t.yaml\n{template}\nparameters:\n{objects}"), &[]);
}

#[test]
fn queues_are_bound_to_topics_by_terraform() {
    check(
        "//- /infra/queues.tf\nresource \"aws_sqs_queue\" \"mail\" {\n  name = \"mail-orders\"\n}\nresource \"aws_sns_topic\" \"orders\" {\n  name = \"shop-orders\"\n}\n//- /infra/main.tf\nresource \"aws_sns_topic_subscription\" \"a\" {\n  topic_arn = aws_sns_topic.orders.arn\n  protocol  = \"sqs\"\n  endpoint  = aws_sqs_queue.mail.arn\n}\nresource \"aws_sns_topic_subscription\" \"b\" {\n  topic_arn = aws_sns_topic.orders.arn\n  protocol  = \"email\"\n  endpoint  = \"a.example.com\"\n}\nresource \"google_pubsub_subscription\" \"ship\" {\n  name  = \"ship-orders\"\n  topic = google_pubsub_topic.orders.name\n}\nresource \"aws_lambda_event_source_mapping\" \"c\" {\n  event_source_arn = aws_sqs_queue.mail.arn\n}\nresource \"aws_lambda_function\" \"web\" {\n  environment {\n    variables = { TOPIC_ARN = aws_sns_topic.orders.arn }\n  }\n}\n",
        &[
            "+ pubsub:ship-orders pubsub:orders = infra/main.tf",
            "+ sqs:mail-orders sns:shop-orders = infra/main.tf",
            "- sqs:mail-orders by infra/main.tf:15 0.95 serves",
            "- web/TOPIC_ARN shop-orders by infra/main.tf:20 0.95",
        ],
    );
    check(
        "//- /k8s.tf\nresource \"kubernetes_service\" \"cart\" {\n  metadata {\n    name = \"cart-svc\"\n  }\n  spec {\n    selector = {\n      app = \"cart\"\n    }\n  }\n}\n//- /cart.nomad\njob \"shop\" {\n  task \"cart\" {\n    config {\n      image = \"acme/cart:1\"\n    }\n    env {\n      PAY_ADDR = \"pay:80\"\n    }\n    service {\n      name = \"cart-api\"\n    }\n  }\n}\n",
        &[
            "+ cart acme/cart:1 = cart.nomad",
            "+ cart-api cart = cart.nomad",
            "+ cart-svc cart = k8s.tf",
            "- cart/PAY_ADDR pay:80 by cart.nomad:7 0.95",
        ],
    );
}

#[test]
fn templates_of_clouds_bind_queues_and_run_functions() {
    check(
        "//- /template.yaml\nAWSTemplateFormatVersion: x\nResources:\n  MailQueue:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: mail-orders\n  OrdersTopic:\n    Type: AWS::SNS::Topic\n  Sub:\n    Type: AWS::SNS::Subscription\n    Properties:\n      TopicArn: !Ref OrdersTopic\n      Endpoint: !GetAtt MailQueue.Arn\n      Protocol: sqs\n  Mailer:\n    Type: AWS::Serverless::Function\n    Properties:\n      Environment:\n        Variables:\n          TOPIC_ARN: !Ref OrdersTopic\n          PAY_URL: http://pay\n      Events:\n        Mail:\n          Type: SQS\n          Properties:\n            Queue: !GetAtt MailQueue.Arn\n  Task:\n    Type: AWS::ECS::TaskDefinition\n    Properties:\n      ContainerDefinitions:\n      - Name: cart\n        Image: acme/cart:1\n        Environment:\n        - Name: SHIP_URL\n          Value: http://ship\n",
        &[
            "+ cart acme/cart:1 = template.yaml",
            "+ sqs:mail-orders sns:OrdersTopic = template.yaml",
            "- /PAY_URL http://pay by template.yaml:21 0.95",
            "- /TOPIC_ARN OrdersTopic by template.yaml:20 0.95",
            "- cart/SHIP_URL http://ship by template.yaml:35 0.95",
            "- sqs:mail-orders by template.yaml:23 0.95 serves",
        ],
    );
    check(
        "//- /serverless.yml\nservice: mail\nprovider:\n  name: aws\n  environment:\n    PAY_URL: http://pay\nfunctions:\n  send:\n    handler: a.b\n    events:\n    - sqs: arn:aws:sqs:eu:1:mail-orders\n    - sns: shop-orders\n    - http: GET /x\n",
        &[
            "- /PAY_URL http://pay by serverless.yml:5 0.95",
            "- sns:shop-orders by serverless.yml:11 0.95 serves",
            "- sqs:mail-orders by serverless.yml:10 0.95 serves",
        ],
    );
}

#[test]
fn images_of_tilt_and_bazel() {
    check(
        "//- /Tiltfile\ndocker_build('acme/cart', './cart')\ndocker_build(name_of(x), 'y')\n//- /cart/Dockerfile\nFROM a/b\nRUN x\n",
        &["+  cart = cart/Dockerfile", "+ acme/cart cart = Tiltfile"],
    );
    check(
        "//- /pay/BUILD.bazel\noci_push(\n    name = \"push\",\n    image = \":image\",\n    repository = \"ghcr.io/acme/pay\",\n)\n",
        &["+ ghcr.io/acme/pay pay = pay/BUILD.bazel"],
    );
    check("//- /pay/BUILD.bazel\ngo_binary(\n    repository = \"ghcr.io/acme/pay\",\n)\n", &[]);
}

#[test]
fn hosts_of_aspire_deploy_projects() {
    let lines = contracts(
        "//- /AppHost/Program.cs\nvar builder = DistributedApplication.CreateBuilder(args);\nvar db = builder.AddPostgres(\"pg\");\nvar shop = db.AddDatabase(\"shopdb\");\nvar cart = builder.AddProject<Projects.Cart_API>(\"cart-api\")\n    .WithReference(shop);\nvar endpoint = cart.GetEndpoint(\"http\");\nbuilder.AddProject<Projects.Web>(\"web\")\n    .WithReference(cart)\n    .WithEnvironment(\"CartUrl\", endpoint);\n//- /Cart.API/Cart.API.csproj\n<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n</Project>\n//- /Lib/Lib.csproj\n<Project Sdk=\"Microsoft.NET.Sdk\">\n</Project>\n",
    );
    for expected in [
        "+ cart-api Cart.API = AppHost/Program.cs",
        "+ cart-api cart-api = AppHost/Program.cs",
        "+ web Web = AppHost/Program.cs",
        "+ Cart.API Cart.API = Cart.API/Cart.API.csproj",
        "- cart-api/ConnectionStrings__shopdb postgres://db/shopdb by AppHost/Program.cs:4 0.95",
        "- web/services__cart-api__http__0 http://cart-api by AppHost/Program.cs:7 0.95",
        "- web/CartUrl http://cart-api by AppHost/Program.cs:7 0.95",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is missing from {lines:#?}");
    }
    assert!(!lines.iter().any(|line| line.contains("Lib")), "{lines:#?}");
}
