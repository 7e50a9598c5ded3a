# File doc.

# Doc.
resource "aws_s3_bucket" "logs" {
  bucket = var.name
  tags = merge(local.tags, { a = aws_x.y.id })
  lifecycle { a = 1 }
}
variable "name" { default = "x" }
output "o" { value = aws_s3_bucket.logs.arn }
module "m" { source = "./mod" }
data "aws_ami" "a" {}
locals { tags = {} 
 x = 1 }
provider "aws" {}
