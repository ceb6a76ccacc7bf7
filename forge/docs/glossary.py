"""English for the words that names of Chinese and Japanese tools and fields are mostly made of.

A name that is made of them can be read by who reads no Chinese; what is not here is left out of the
name, never out of a description.
"""

import re

_CHINESE = """
创建 create 新建 create 添加 add 新增 add 增加 add 插入 insert 上传 upload 下载 download
查询 query 获取 get 查看 show 查找 search 搜索 search 列出 list 列表 list 所有 all 全部 all
更新 update 修改 update 编辑 edit 设置 set 删除 delete 移除 remove 取消 cancel 清空 clear
发送 send 接收 receive 回复 reply 转发 forward 登录 login 退出 logout 注册 register 支付 pay
退款 refund 充值 recharge 预订 book 预约 reserve 开启 open 打开 open 关闭 close 启动 start
停止 stop 暂停 pause 恢复 resume 提交 submit 审核 review 批准 approve 拒绝 reject 移动 move
复制 copy 重命名 rename 导入 import 导出 export 统计 count 检查 check 验证 verify 用户 user
账户 account 账号 account 会员 member 客户 customer 员工 employee 管理员 admin 联系人 contact
订单 order 商品 product 产品 product 购物车 cart 库存 stock 价格 price 金额 amount 数量 quantity
总数 total 地址 address 城市 city 国家 country 任务 task 项目 project 文件 file 文件夹 folder
目录 directory 图片 image 消息 message 短信 sms 邮件 email 邮箱 email 评论 comment
通知 notification 提醒 reminder 日程 event 会议 meeting 图书 book 书籍 book 课程 course
学生 student 老师 teacher 航班 flight 酒店 hotel 房间 room 门票 ticket 天气 weather 标题 title
名称 name 姓名 name 名字 name 内容 content 描述 description 备注 note 状态 status 类型 type
类别 category 分类 category 标签 tag 日期 date 时间 time 开始 start 结束 end 电话 phone
手机号 phone 密码 password 编号 number 详情 details 信息 info 记录 record 数据 data 结果 result
页码 page 排序 sort 优先级 priority 语言 language 我的 my
"""
_JAPANESE = """
作成 create 追加 add 登録 register 取得 get 一覧 list 検索 search 更新 update 変更 change
編集 edit 削除 delete 送信 send 受信 receive 表示 show 予約 reserve 注文 order 支払 pay
開始 start 終了 end 停止 stop 確認 check ユーザー user ユーザ user アカウント account
会員 member 顧客 customer 社員 employee 商品 product 在庫 stock 価格 price 数量 quantity
住所 address 都市 city タスク task プロジェクト project ファイル file フォルダ folder
メッセージ message メール email コメント comment 通知 notification 予定 event 会議 meeting
図書 book 部屋 room ホテル hotel 天気 weather 題名 title 名前 name 内容 content 説明 description
備考 note 状態 status 種類 type カテゴリ category タグ tag 日付 date 時間 time 電話 phone
番号 number 詳細 details 情報 info
"""


def _pairs(text: str) -> dict[str, str]:
    said = text.split()
    return dict(zip(said[::2], said[1::2], strict=True))


_WORDS = {**_pairs(_JAPANESE), **_pairs(_CHINESE)}
_KNOWN = re.compile("|".join(sorted(map(re.escape, _WORDS), key=lambda word: (-len(word), word))))


def in_english(name: str) -> str:
    """A name with its known words in English, the longest first; the rest as it is."""
    return name if name.isascii() else _KNOWN.sub(lambda one: f" {_WORDS[one[0]]} ", name)
